package dev.fermata.sim.recording;

import java.util.List;

/**
 * The attempts on some GPUs during some time.
 *
 * @param windows how many windows of equally many attempts the run was cut into; this one has the most preemptions
 */
public record GanttChart(
        List<GanttRow> rows,
        int nodesShown,
        int nodes,
        int gpus,
        long fromMillis,
        long toMillis,
        long runFromMillis,
        long runToMillis,
        int windows,
        List<GanttInterval> intervals) {

    /** One GPU. */
    public record GanttRow(int gpu, String node, int indexOnNode) {}

    /**
     * One attempt on its GPUs, or the part of it that fell into the window.
     *
     * @param rows those of its GPUs that are shown, as indexes into the chart's rows
     * @param runningMillis when it began to make progress; -1 when it did not
     * @param stoppedMillis when its preemption began; -1 when it was not preempted
     * @param lostMillis of the time it ran, how much at its end was lost
     * @param outcome the name of the outcome, or empty when it was still on its GPUs at the end of the window
     * @param beneficiary the job it was preempted for; -1 when it was not
     */
    public record GanttInterval(
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
            String outcome,
            long beneficiary,
            String beneficiaryName) {}
}
