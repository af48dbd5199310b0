package dev.fermata.sim.trace;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;

/** Where a format delivers what it reads: keeps count, and decides what a malformed record means. */
public final class Intake {
    private final Consumer<TraceRecord> kept;
    private final boolean lenient;
    private final Map<Drop, Long> dropped = new EnumMap<>(Drop.class);
    private long read;
    private long severalAttempts;
    private long blankRows;
    private long malformed;
    private String firstMalformed = "";

    /** @param lenient malformed records are counted and passed over; otherwise the first one ends the reading */
    public Intake(Consumer<TraceRecord> kept, boolean lenient) {
        this.kept = kept;
        this.lenient = lenient;
    }

    public void keep(TraceRecord job) {
        read++;
        kept.accept(job);
    }

    public void drop(Drop reason) {
        read++;
        dropped.merge(reason, 1L, Long::sum);
    }

    /** Of the job that is kept next: the trace tells of several attempts. */
    public void severalAttempts() {
        severalAttempts++;
    }

    public void blankRow() {
        blankRows++;
    }

    public void malformed(TraceException problem) {
        if (!lenient) {
            throw problem;
        }
        malformed++;
        if (firstMalformed.isEmpty()) {
            firstMalformed = String.valueOf(problem.getMessage());
        }
    }

    public Tally tally() {
        return new Tally(read, dropped, severalAttempts, blankRows, malformed, firstMalformed);
    }
}
