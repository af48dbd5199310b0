package dev.fermata.sim.portrait;

import java.util.List;

/**
 * What stood on some GPUs during some time.
 *
 * @param windows how many pieces of this many stays the run was cut into; this one had the most pauses
 */
public record Gantt(
        List<Row> rows,
        int nodesShown,
        int nodes,
        int gpus,
        long fromMillis,
        long toMillis,
        long runFromMillis,
        long runToMillis,
        int windows,
        List<Stay> stays) {

    /** One GPU. */
    public record Row(int gpu, String node, int onNode) {}

    /**
     * One attempt on its GPUs, or the part of it that fell into the window.
     *
     * @param rows those of its GPUs that are shown, as indexes into the chart's rows
     * @param runningMillis when it began to make progress; -1 when it did not
     * @param stoppedMillis when it was asked to leave; -1 when it was not
     * @param lostMillis of the time it ran, how much at its end was lost
     * @param end how it left: the name of the outcome, or empty when it was still there at the end of the window
     * @param pausedFor the job it was paused for; -1 when it was not
     */
    public record Stay(
            long job,
            String name,
            int gpus,
            int attempt,
            boolean shared,
            List<Integer> rows,
            long fromMillis,
            long runningMillis,
            long stoppedMillis,
            long toMillis,
            long lostMillis,
            String end,
            long pausedFor,
            String pausedForName) {}
}
