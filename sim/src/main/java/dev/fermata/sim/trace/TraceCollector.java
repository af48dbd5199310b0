package dev.fermata.sim.trace;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.Consumer;

/** Where a format delivers what it reads: keeps count, and decides what a malformed record means. */
public final class TraceCollector {
    private final Consumer<TraceRecord> sink;
    private final boolean lenient;
    private final Map<DropReason, Long> dropped = new EnumMap<>(DropReason.class);
    private long read;
    private long multiAttemptJobs;
    private long blankRows;
    private long malformed;
    private String firstMalformed = "";

    /** @param lenient malformed records are counted and passed over; otherwise the first one ends the reading */
    public TraceCollector(Consumer<TraceRecord> kept, boolean lenient) {
        this.sink = kept;
        this.lenient = lenient;
    }

    public void add(TraceRecord job) {
        read++;
        sink.accept(job);
    }

    public void drop(DropReason reason) {
        read++;
        dropped.merge(reason, 1L, Long::sum);
    }

    /** Marks the next job that is kept: the trace has several attempts of it. */
    public void countMultiAttemptJob() {
        multiAttemptJobs++;
    }

    public void countBlankRow() {
        blankRows++;
    }

    public void reject(TraceException problem) {
        if (!lenient) {
            throw problem;
        }
        malformed++;
        if (firstMalformed.isEmpty()) {
            firstMalformed = String.valueOf(problem.getMessage());
        }
    }

    public TraceReadSummary summary() {
        return new TraceReadSummary(read, dropped, multiAttemptJobs, blankRows, malformed, firstMalformed);
    }
}
