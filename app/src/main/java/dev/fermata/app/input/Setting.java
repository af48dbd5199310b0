package dev.fermata.app.input;

import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.sim.experiment.Experiment;
import dev.fermata.sim.workload.Workload;
import java.util.List;

/** A scenario that was read and found right: ready to run. {@code variation} names the varied key and value, or is empty. */
public record Setting(
        String variation,
        ClusterInput cluster,
        WorkloadInput workload,
        String estimator,
        FaultsInput faults,
        GuardMode guard,
        List<PolicySpec> policies) {

    public Workload workload(long seed) {
        return workload.workload(cluster.topology(), seed);
    }

    public Experiment experiment(Workload jobs, PolicySpec policy, long seed) {
        return new Experiment(cluster.name(), cluster.topology(), jobs, policy, estimator, faults.rates(), seed, guard);
    }
}
