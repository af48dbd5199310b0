package dev.fermata.sim.trace.swf;

import dev.fermata.sim.trace.Drop;
import dev.fermata.sim.trace.Intake;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.trace.text.Column;
import dev.fermata.sim.trace.text.Header;
import dev.fermata.sim.trace.text.Row;

/** Reads a line of a workload in the standard format. */
final class SwfJob {
    private static final int CANCELLED = 5;
    private static final double KIB_PER_MIB = 1024;
    private static final double MOST_SECONDS = 4e9;
    private static final double MOST_KIB = 1e12;

    private final Intake intake;
    private final Column job;
    private final Column submit;
    private final Column run;
    private final Column allocated;
    private final Column requested;
    private final Column requestedTime;
    private final Column requestedMemory;
    private final Column status;
    private final Column user;
    private final Column executable;
    private final Column queue;

    SwfJob(Header header, Intake intake) {
        this.intake = intake;
        job = header.need("job");
        submit = header.need("submit");
        run = header.need("run");
        allocated = header.need("allocated");
        requested = header.need("requested");
        requestedTime = header.need("requested_time");
        requestedMemory = header.need("requested_memory");
        status = header.need("status");
        user = header.need("user");
        executable = header.need("executable");
        queue = header.need("queue");
    }

    void read(Row row) {
        int got = row.whole(allocated, -1, TraceRecord.MOST_GPUS);
        int wanted = row.whole(requested, -1, TraceRecord.MOST_GPUS);
        int gpus = got > 0 ? got : wanted;
        double seconds = row.number(run, -1, MOST_SECONDS);
        long submitMillis = Math.round(row.number(submit, 0, MOST_SECONDS) * 1000);
        if (gpus <= 0) {
            intake.drop(Drop.NO_GPU);
        } else if (seconds < 0 || (seconds == 0 && row.number(status, -1, MOST_SECONDS) == CANCELLED)) {
            intake.drop(Drop.NEVER_RAN);
        } else if (seconds == 0) {
            intake.drop(Drop.NO_TIME);
        } else {
            double limit = row.number(requestedTime, -1, MOST_SECONDS);
            double memory = row.number(requestedMemory, -1, MOST_KIB);
            intake.keep(TraceRecord.builder(row.text(job), submitMillis, gpus, Math.max(1, Math.round(seconds * 1000)))
                    .user(named(row, user, "user", "nobody"))
                    .queue(named(row, queue, "queue", "default"))
                    .name(named(row, executable, "program", ""))
                    .declaredMillis(limit > 0 ? Math.round(limit * 1000) : 0)
                    .memoryMib(memory > 0 ? (long) Math.ceil(memory * gpus / KIB_PER_MIB) : 0)
                    .build());
        }
    }

    /** People and programs are numbers there; the word says which kind of number. */
    private static String named(Row row, Column column, String word, String otherwise) {
        return row.number(column, -1, MOST_SECONDS) < 0 ? otherwise : row.labelled(word, column);
    }
}
