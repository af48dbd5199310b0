package dev.fermata.app.run;

import dev.fermata.app.input.Setting;
import dev.fermata.core.measure.GpuTime;
import dev.fermata.core.measure.Summary;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.policy.Trait;
import dev.fermata.sim.experiment.RunResult;
import java.util.List;

/** One run with the setting it belongs to. {@code jobs} counts the workload, also what an interrupted run left undone. */
public record Measured(Setting setting, PolicySpec policy, int jobs, RunResult result, Refusals refusals) {

    /** The same without a line per job, which a comparison does not need. */
    Measured summaryOnly() {
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
                result.portrait());
        return new Measured(setting, policy, jobs, lean, refusals);
    }

    public Summary summary() {
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

    /** Whether the policy knew run times that nobody knows in real life. */
    public boolean clairvoyant() {
        return policy.has(Trait.NEEDS_ESTIMATES) && setting.estimator().equals("oracle");
    }
}
