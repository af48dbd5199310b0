package dev.fermata.sim.trace.swf;

import dev.fermata.sim.trace.DropReason;
import dev.fermata.sim.trace.TraceCollector;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.trace.text.TraceColumn;
import dev.fermata.sim.trace.text.TraceHeader;
import dev.fermata.sim.trace.text.TraceRow;

/** Reads a line of a workload in the standard format. */
final class SwfRow {
    private static final int CANCELLED = 5;
    private static final double KIB_PER_MIB = 1024;
    private static final double MAX_SECONDS = 4e9;
    private static final double MAX_KIB = 1e12;

    private final TraceCollector collector;
    private final TraceColumn job;
    private final TraceColumn submit;
    private final TraceColumn run;
    private final TraceColumn allocated;
    private final TraceColumn requested;
    private final TraceColumn requestedTime;
    private final TraceColumn requestedMemory;
    private final TraceColumn status;
    private final TraceColumn user;
    private final TraceColumn executable;
    private final TraceColumn queue;

    SwfRow(TraceHeader header, TraceCollector collector) {
        this.collector = collector;
        job = header.require("job");
        submit = header.require("submit");
        run = header.require("run");
        allocated = header.require("allocated");
        requested = header.require("requested");
        requestedTime = header.require("requested_time");
        requestedMemory = header.require("requested_memory");
        status = header.require("status");
        user = header.require("user");
        executable = header.require("executable");
        queue = header.require("queue");
    }

    void read(TraceRow row) {
        int got = row.integer(allocated, -1, TraceRecord.MAX_GPUS);
        int requestedCount = row.integer(requested, -1, TraceRecord.MAX_GPUS);
        int gpus = got > 0 ? got : requestedCount;
        double seconds = row.number(run, -1, MAX_SECONDS);
        long submitMillis = Math.round(row.number(submit, 0, MAX_SECONDS) * 1000);
        if (gpus <= 0) {
            collector.drop(DropReason.NO_GPU);
        } else if (seconds < 0 || (seconds == 0 && row.number(status, -1, MAX_SECONDS) == CANCELLED)) {
            collector.drop(DropReason.NEVER_RAN);
        } else if (seconds == 0) {
            collector.drop(DropReason.NO_TIME);
        } else {
            double limit = row.number(requestedTime, -1, MAX_SECONDS);
            double memory = row.number(requestedMemory, -1, MAX_KIB);
            collector.add(
                    TraceRecord.builder(row.text(job), submitMillis, gpus, Math.max(1, Math.round(seconds * 1000)))
                            .user(prefixed(row, user, "user", TraceRecord.NO_USER))
                            .queue(prefixed(row, queue, "queue", "default"))
                            .name(prefixed(row, executable, "program", ""))
                            .declaredMillis(limit > 0 ? Math.round(limit * 1000) : 0)
                            .memoryMib(memory > 0 ? (long) Math.ceil(memory * gpus / KIB_PER_MIB) : 0)
                            .build());
        }
    }

    /** Users and programs are numbers there; the prefix says which. */
    private static String prefixed(TraceRow row, TraceColumn column, String word, String otherwise) {
        return row.number(column, -1, MAX_SECONDS) < 0 ? otherwise : row.prefixed(word, column);
    }
}
