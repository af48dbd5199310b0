package dev.fermata.insight.input;

import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.policy.Suggestion;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.sim.estimate.Estimators;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Everything a comparison is about, still as the user wrote it, so that one key can be varied; {@link #parse} reads it. */
public record ExperimentSpec(
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
        String modelError,
        List<PolicySpec> policies) {

    /** Reads and checks all of it. */
    public ExperimentSetting parse(TraceCache traces) {
        return parse(Map.of(), traces);
    }

    /** The same for one point of a comparison that varies these keys. */
    ExperimentSetting parse(Map<String, String> varied, TraceCache traces) {
        Estimators.parse(estimator);
        CostsInput costsInput = CostsInput.parse(costs);
        return new ExperimentSetting(
                varied,
                this,
                ClusterInput.parse(cluster),
                WorkloadInput.parse(
                        workload,
                        format,
                        JobSelection.parse(select, speedup),
                        costsInput,
                        ModelsInput.parse(models),
                        traces),
                estimator,
                FaultsInput.parse(faults),
                guardMode(guard),
                QueuesFile.parse(queues),
                ModelErrorInput.parse(modelError),
                policies);
    }

    private static GuardMode guardMode(String text) {
        for (GuardMode mode : GuardMode.values()) {
            if (mode.name().toLowerCase(Locale.ROOT).equals(text)) {
                return mode;
            }
        }
        throw new IllegalArgumentException(
                "--guard (" + text + ") is unknown." + Suggestion.didYouMean(text, List.of("off", "plan", "full")));
    }

    ExperimentSpec withCluster(String value) {
        return new ExperimentSpec(
                value,
                workload,
                format,
                select,
                speedup,
                estimator,
                costs,
                models,
                faults,
                guard,
                queues,
                modelError,
                policies);
    }

    ExperimentSpec withWorkload(String value) {
        return new ExperimentSpec(
                cluster,
                value,
                format,
                select,
                speedup,
                estimator,
                costs,
                models,
                faults,
                guard,
                queues,
                modelError,
                policies);
    }

    ExperimentSpec withSpeedup(String value) {
        return new ExperimentSpec(
                cluster,
                workload,
                format,
                select,
                value,
                estimator,
                costs,
                models,
                faults,
                guard,
                queues,
                modelError,
                policies);
    }

    ExperimentSpec withEstimator(String value) {
        return new ExperimentSpec(
                cluster,
                workload,
                format,
                select,
                speedup,
                value,
                costs,
                models,
                faults,
                guard,
                queues,
                modelError,
                policies);
    }

    ExperimentSpec withCosts(String value) {
        return new ExperimentSpec(
                cluster,
                workload,
                format,
                select,
                speedup,
                estimator,
                value,
                models,
                faults,
                guard,
                queues,
                modelError,
                policies);
    }

    ExperimentSpec withModels(String value) {
        return new ExperimentSpec(
                cluster,
                workload,
                format,
                select,
                speedup,
                estimator,
                costs,
                value,
                faults,
                guard,
                queues,
                modelError,
                policies);
    }

    ExperimentSpec withModelError(String value) {
        return new ExperimentSpec(
                cluster, workload, format, select, speedup, estimator, costs, models, faults, guard, queues, value,
                policies);
    }

    ExperimentSpec withPolicyParameter(String key, String value) {
        List<PolicySpec> changed = PolicyList.with(policies, key, value);
        return new ExperimentSpec(
                cluster,
                workload,
                format,
                select,
                speedup,
                estimator,
                costs,
                models,
                faults,
                guard,
                queues,
                modelError,
                changed);
    }
}
