package dev.fermata.sim.trace.pai;

import dev.fermata.sim.trace.DropReason;
import dev.fermata.sim.trace.TraceCollector;
import dev.fermata.sim.trace.TraceRecord;

/**
 * What the lines of one job add up to: a gang of all its GPUs. It lasts from the beginning of its first task with a GPU
 * to the end of the last. Tasks without a GPU (parameter servers) add their CPUs and memory. Where tasks request
 * different shares of a GPU, all get the largest.
 */
final class PaiJob {
    private String user = TraceRecord.NO_USER;
    private double submitSeconds = -1;
    private double startSeconds = -1;
    private double endSeconds = -1;
    private boolean running;
    private int gpus;
    private int gpuMilli;
    private long cpuMilli;
    private long memoryMib;

    void add(PaiTask.TaskRequest task) {
        cpuMilli += task.cpuMilli();
        memoryMib += task.memoryMib();
        if (task.gpus() == 0) {
            return;
        }
        gpus += task.gpus();
        gpuMilli = Math.max(gpuMilli, task.gpuMilli());
        if (task.startSeconds() >= 0) {
            startSeconds = startSeconds < 0 ? task.startSeconds() : Math.min(startSeconds, task.startSeconds());
            running |= task.endSeconds() < 0;
            endSeconds = Math.max(endSeconds, task.endSeconds());
        }
    }

    int gpus() {
        return gpus;
    }

    void setSubmission(String by, double seconds) {
        user = by;
        submitSeconds = seconds;
    }

    void collect(String name, TraceCollector collector) {
        if (gpus == 0) {
            collector.drop(DropReason.NO_GPU);
        } else if (startSeconds < 0) {
            collector.drop(DropReason.NEVER_RAN);
        } else if (running) {
            collector.drop(DropReason.NOT_ENDED);
        } else if (endSeconds <= startSeconds) {
            collector.drop(DropReason.NO_TIME);
        } else {
            double submit = submitSeconds < 0 ? startSeconds : submitSeconds;
            long millis = Math.round((endSeconds - startSeconds) * 1000);
            collector.add(TraceRecord.builder(name, Math.round(submit * 1000), gpus, Math.max(1, millis))
                    .gpuMilli(gpuMilli)
                    .user(user)
                    .cpuMilli(cpuMilli)
                    .memoryMib(memoryMib)
                    .build());
        }
    }
}
