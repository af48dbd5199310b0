package dev.fermata.insight.input;

import dev.fermata.core.model.QueueRule;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.sim.engine.TrueModel;
import dev.fermata.sim.experiment.Experiment;
import dev.fermata.sim.experiment.LowerBound;
import dev.fermata.sim.workload.Workload;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A parsed and checked scenario, ready to run.
 *
 * @param varied the keys that a comparison varies, with their values here; empty where nothing is varied
 * @param spec the scenario as the user wrote it
 */
public record ExperimentSetting(
        Map<String, String> varied,
        ExperimentSpec spec,
        ClusterInput cluster,
        WorkloadInput workload,
        String estimator,
        FaultsInput faults,
        GuardMode guard,
        List<QueueRule> queues,
        ModelErrorInput modelError,
        List<PolicySpec> policies) {

    /** What is varied here, such as {@code load=0.9, costs=none}; or empty. */
    public String variation() {
        return varied.entrySet().stream()
                .map(e -> e.getKey() + "=" + e.getValue())
                .collect(Collectors.joining(", "));
    }

    public Workload workload(long seed) {
        return workload.workload(cluster.topology(), seed);
    }

    public Experiment experiment(Workload jobs, PolicySpec policy, long seed) {
        return new Experiment(
                cluster.name(),
                cluster.topology(),
                jobs.withQueues(queues),
                policy,
                estimator,
                faults.rates(),
                seed,
                guard,
                modelError.error());
    }

    /** A mean completion time that no schedule of these jobs can beat, in seconds. */
    public double lowerBoundMeanJctSeconds(Workload jobs, long seed) {
        return LowerBound.meanJctSeconds(
                jobs, cluster.topology(), new TrueModel(cluster.topology(), modelError.error(), seed));
    }
}
