package dev.fermata.insight.experiment;

import dev.fermata.core.measure.GpuTime;
import dev.fermata.core.measure.MetricsSummary;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.policy.PolicyTrait;
import dev.fermata.insight.input.ExperimentSetting;
import dev.fermata.sim.experiment.RunResult;
import java.util.List;

/**
 * One run with the setting it belongs to. {@code jobs} counts the workload, including jobs that an interrupted run left
 * unfinished.
 */
public record MeasuredRun(
        ExperimentSetting setting, PolicySpec policy, int jobs, RunResult result, InfeasibleJobs infeasible) {

    /** The same without the results per job, which a comparison does not need. */
    MeasuredRun withoutJobs() {
        RunResult lean = new RunResult(
                result.policy(),
                result.cluster(),
                result.workload(),
                result.estimator(),
                result.seed(),
                result.summary(),
                result.lowerBoundMeanJctSeconds(),
                List.of(),
                result.complete(),
                result.events(),
                result.decisions(),
                result.rejectedActions(),
                result.estimateError(),
                result.wallSeconds(),
                result.peakHeapMib(),
                result.recording());
        return new MeasuredRun(setting, policy, jobs, lean, infeasible);
    }

    public MetricsSummary summary() {
        return result.summary();
    }

    public double meanJctSeconds() {
        return summary().all().jct().mean();
    }

    /** How far the mean completion time is above what no schedule can beat; 0 where there is no bound. */
    public double optimalityGap() {
        double bound = result.lowerBoundMeanJctSeconds();
        return bound > 0 && summary().all().completed() > 0 ? meanJctSeconds() / bound - 1 : 0;
    }

    /** Of the GPU-time held, the share spent loading and pausing. */
    public double overheadShare() {
        GpuTime time = summary().gpuTime();
        return time.held() == 0 ? 0 : (double) time.overhead() / time.held();
    }

    /** Whether the policy knew true run times, which no live policy knows. */
    public boolean isClairvoyant() {
        return policy.has(PolicyTrait.NEEDS_ESTIMATES) && setting.estimator().equals("oracle");
    }
}
