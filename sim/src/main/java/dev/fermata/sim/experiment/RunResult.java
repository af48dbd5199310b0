package dev.fermata.sim.experiment;

import dev.fermata.core.measure.JobResult;
import dev.fermata.core.measure.Summary;
import java.util.List;

/**
 * One policy on one workload with one seed: what was measured, and what the run itself took.
 *
 * @param estimateError median of |ln(estimate ÷ truth)| over the jobs when they were submitted
 */
public record RunResult(
        String policy,
        String cluster,
        String workload,
        String estimator,
        long seed,
        Summary summary,
        double lowerBoundMeanJctSeconds,
        List<JobResult> jobs,
        boolean complete,
        long events,
        long decisions,
        long rejectedActions,
        double estimateError,
        double wallSeconds,
        double peakHeapMib) {
    public double eventsPerSecond() {
        return wallSeconds > 0 ? events / wallSeconds : 0;
    }
}
