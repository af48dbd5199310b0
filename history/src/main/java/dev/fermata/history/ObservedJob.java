package dev.fermata.history;

import java.util.List;

/**
 * Body of a history entry: a job of another scheduler, as it was last seen in shadow mode.
 *
 * @param id of the other scheduler, never that of another job later
 */
public record ObservedJob(String id, String user, String name, ObservedRequest request, ObservedRun run) {
    public static final String TYPE = "JobObserved";

    /** How a job ended there. */
    public enum Result {
        /** It has not ended. */
        NONE,
        COMPLETED,
        FAILED,
        TIMEOUT,
        CANCELLED,
        /** It is no longer there; how and when exactly it ended was not seen. */
        UNKNOWN
    }

    /**
     * What it requests.
     *
     * @param gpuType the name of the GPU type that it needs, empty for any
     * @param cpuMilli thousandths of a CPU per GPU
     * @param memoryMib RAM per GPU
     * @param limitMillis the longest that it may run, 0 for no limit
     * @param requeues whether it may be stopped and started again
     */
    public record ObservedRequest(
            int gpus, String gpuType, long cpuMilli, long memoryMib, long limitMillis, boolean requeues) {}

    /**
     * What happened to it there.
     *
     * @param startedMillis -1 as long as it has not started
     * @param endedMillis -1 as long as it has not ended
     * @param gpuIds the GPUs that it was given, where the other scheduler says which
     */
    public record ObservedRun(
            long submittedMillis, long startedMillis, long endedMillis, Result result, List<String> gpuIds) {
        public ObservedRun {
            gpuIds = List.copyOf(gpuIds);
        }
    }

    public boolean hasStarted() {
        return run.startedMillis >= 0;
    }

    public boolean hasEnded() {
        return run.endedMillis >= 0;
    }

    /** How long it ran; only of a job that has started and ended. */
    public long ranMillis() {
        return Math.max(0, run.endedMillis - run.startedMillis);
    }

    /** The same with another course. */
    public ObservedJob withRun(ObservedRun other) {
        return new ObservedJob(id, user, name, request, other);
    }
}
