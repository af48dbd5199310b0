package dev.fermata.app.input;

import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.policy.Suggest;
import dev.fermata.sim.estimate.Estimators;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Everything a comparison is about, still as the user wrote it, so that one key can be varied; {@link #check} reads it. */
public record Scenario(
        String cluster,
        String workload,
        String format,
        String select,
        String speedup,
        String estimator,
        String costs,
        String models,
        String faults,
        String guard,
        String queues,
        List<PolicySpec> policies) {

    /** Reads and checks all of it. */
    public Setting check(Traces traces) {
        return check(Map.of(), traces);
    }

    /** The same for one point of a comparison that varies these keys. */
    Setting check(Map<String, String> varied, Traces traces) {
        Estimators.parse(estimator);
        CostsInput costsInput = CostsInput.parse(costs);
        return new Setting(
                varied,
                this,
                ClusterInput.parse(cluster),
                WorkloadInput.parse(
                        workload,
                        format,
                        Selection.parse(select, speedup),
                        costsInput,
                        ModelsInput.parse(models),
                        traces),
                estimator,
                FaultsInput.parse(faults),
                guardMode(guard),
                QueuesFile.parse(queues),
                policies);
    }

    private static GuardMode guardMode(String text) {
        for (GuardMode mode : GuardMode.values()) {
            if (mode.name().toLowerCase(Locale.ROOT).equals(text)) {
                return mode;
            }
        }
        throw new IllegalArgumentException(
                "--guard (" + text + ") is unknown." + Suggest.among(text, List.of("off", "plan", "full")));
    }

    Scenario withCluster(String value) {
        return new Scenario(
                value, workload, format, select, speedup, estimator, costs, models, faults, guard, queues, policies);
    }

    Scenario withWorkload(String value) {
        return new Scenario(
                cluster, value, format, select, speedup, estimator, costs, models, faults, guard, queues, policies);
    }

    Scenario withSpeedup(String value) {
        return new Scenario(
                cluster, workload, format, select, value, estimator, costs, models, faults, guard, queues, policies);
    }

    Scenario withEstimator(String value) {
        return new Scenario(
                cluster, workload, format, select, speedup, value, costs, models, faults, guard, queues, policies);
    }

    Scenario withCosts(String value) {
        return new Scenario(
                cluster, workload, format, select, speedup, estimator, value, models, faults, guard, queues, policies);
    }

    Scenario withModels(String value) {
        return new Scenario(
                cluster, workload, format, select, speedup, estimator, costs, value, faults, guard, queues, policies);
    }

    Scenario withPolicyParameter(String key, String value) {
        List<PolicySpec> changed = PolicyList.with(policies, key, value);
        return new Scenario(
                cluster, workload, format, select, speedup, estimator, costs, models, faults, guard, queues, changed);
    }
}
