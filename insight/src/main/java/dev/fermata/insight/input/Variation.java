package dev.fermata.insight.input;

import dev.fermata.core.policy.Suggestion;
import dev.fermata.core.text.Quantity;
import dev.fermata.sim.workload.WorkloadSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One key of a scenario taken through several values: {@code load=0.5,0.9}, {@code policy.threshold=100,1000}. */
public record Variation(String key, List<String> values) {
    private static final String POLICY = "policy.";
    private static final int MAX = 10_000;
    private static final List<String> WHOLE =
            List.of("cluster", "estimator", "costs", "models", "speedup", "model-error");

    public static Variation parse(String text) {
        int equals = text.indexOf('=');
        if (equals <= 0 || equals == text.length() - 1) {
            throw Quantity.invalid("--vary", text, "must be KEY=v1,v2,… such as load=0.5,0.9");
        }
        String key = text.substring(0, equals).strip();
        List<String> known = new ArrayList<>(WHOLE);
        WorkloadSpec.generators().forEach(g -> g.parameters().forEach(parameter -> known.add(parameter.name())));
        if (!known.contains(key) && !(key.startsWith(POLICY) && key.length() > POLICY.length())) {
            known.add(POLICY + "PARAM");
            throw new IllegalArgumentException("--vary has no key '" + key + "'." + Suggestion.didYouMean(key, known));
        }
        List<String> values = new ArrayList<>();
        for (String value : text.substring(equals + 1).split(",", -1)) {
            if (value.isBlank() || values.contains(value.strip())) {
                throw Quantity.invalid("--vary", text, "must have different values, none of them empty");
            }
            values.add(value.strip());
        }
        return new Variation(key, List.copyOf(values));
    }

    /** The scenario for every combination of values, checked; the key that was named first changes slowest. */
    public static List<ExperimentSetting> product(List<Variation> variations, ExperimentSpec spec, TraceCache traces) {
        List<String> keys = variations.stream().map(Variation::key).toList();
        for (String key : keys) {
            if (keys.indexOf(key) != keys.lastIndexOf(key)) {
                throw Quantity.invalid("--vary", key, "is varied twice; name all its values at once");
            }
        }
        List<ExperimentSetting> settings = new ArrayList<>();
        expand(variations, Map.of(), spec, traces, settings);
        return settings;
    }

    private static void expand(
            List<Variation> left,
            Map<String, String> varied,
            ExperimentSpec spec,
            TraceCache traces,
            List<ExperimentSetting> settings) {
        if (left.isEmpty()) {
            settings.add(spec.parse(varied, traces));
            if (settings.size() > MAX) {
                throw new IllegalArgumentException("--vary: more than " + MAX + " combinations of values");
            }
            return;
        }
        Variation first = left.get(0);
        for (String value : first.values) {
            Map<String, String> more = new LinkedHashMap<>(varied);
            more.put(first.key, value);
            expand(left.subList(1, left.size()), more, first.with(spec, value), traces, settings);
        }
    }

    private ExperimentSpec with(ExperimentSpec spec, String value) {
        return switch (key) {
            case "cluster" -> spec.withCluster(value);
            case "estimator" -> spec.withEstimator(value);
            case "costs" -> spec.withCosts(value);
            case "models" -> spec.withModels(value);
            case "speedup" -> spec.withSpeedup(value);
            case "model-error" -> spec.withModelError(value);
            default ->
                key.startsWith(POLICY)
                        ? spec.withPolicyParameter(key.substring(POLICY.length()), value)
                        : spec.withWorkload(withParameter(spec.workload(), value));
        };
    }

    private String withParameter(String workload, String value) {
        if (!WorkloadSpec.isGenerated(workload)) {
            throw Quantity.invalid(
                    "--vary", key, "is a knob of generated workloads, and --workload (" + workload + ") is a trace");
        }
        int colon = workload.indexOf(':');
        Map<String, String> pairs = new LinkedHashMap<>();
        if (colon >= 0 && colon < workload.length() - 1) {
            for (String pair : workload.substring(colon + 1).split(",", -1)) {
                int equals = pair.indexOf('=');
                pairs.put(equals < 0 ? pair : pair.substring(0, equals), pair);
            }
        }
        pairs.put(key, key + "=" + value);
        return (colon < 0 ? workload : workload.substring(0, colon)) + ":" + String.join(",", pairs.values());
    }
}
