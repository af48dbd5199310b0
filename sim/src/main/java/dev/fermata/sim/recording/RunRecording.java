package dev.fermata.sim.recording;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that a report draws of one run: a tree of plain records that can be written and read back. Its size does
 * not depend on the length of the run.
 *
 * @param completionTimes completion times of completed jobs, seconds
 * @param waitingTimes time in the queue of the same jobs, seconds
 * @param waitingByGroup the waiting again, by size and by class
 * @param gantt the attempts on some of the GPUs; null where none was requested
 */
public record RunRecording(
        EmpiricalCdf completionTimes,
        EmpiricalCdf waitingTimes,
        List<WaitDistribution> waitingByGroup,
        ClusterTimeSeries series,
        RecordedPreemptions preemptions,
        @Nullable GanttChart gantt) {

    /** How much to keep of the GPUs' chart: rows at most, and attempts at most; no chart with 0. */
    public record RecordingDetail(int ganttRows, int ganttIntervals) {
        public static final RecordingDetail WITHOUT_GANTT = new RecordingDetail(0, 0);
    }
}
