package dev.fermata.sim.experiment;

import dev.fermata.core.measure.JobResult;
import dev.fermata.core.measure.MetricsSummary;
import dev.fermata.sim.recording.RunRecording;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One policy on one workload with one seed: what was measured, and what the run itself took.
 *
 * @param estimateError median of |ln(estimate ÷ truth)| over the jobs when they were submitted
 * @param recording what reports draw; null where none was requested
 */
public record RunResult(
        String policy,
        String cluster,
        String workload,
        String estimator,
        long seed,
        MetricsSummary summary,
        double lowerBoundMeanJctSeconds,
        List<JobResult> jobs,
        boolean complete,
        long events,
        long decisions,
        long rejectedActions,
        double estimateError,
        double wallSeconds,
        double peakHeapMib,
        @Nullable RunRecording recording) {
    public double eventsPerSecond() {
        return wallSeconds > 0 ? events / wallSeconds : 0;
    }
}
