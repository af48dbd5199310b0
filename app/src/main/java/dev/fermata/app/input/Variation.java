package dev.fermata.app.input;

import dev.fermata.core.policy.Suggest;
import dev.fermata.core.text.Quantity;
import dev.fermata.sim.workload.WorkloadSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One key of a scenario taken through several values: {@code load=0.5,0.9}, {@code policy.threshold=100,1000}. */
public record Variation(String key, List<String> values) {
    private static final String POLICY = "policy.";
    private static final int MOST = 10_000;
    private static final List<String> WHOLE = List.of("cluster", "estimator", "costs", "models", "speedup");

    public static Variation parse(String text) {
        int equals = text.indexOf('=');
        if (equals <= 0 || equals == text.length() - 1) {
            throw Quantity.wrong("--vary", text, "must be KEY=v1,v2,… such as load=0.5,0.9");
        }
        String key = text.substring(0, equals).strip();
        List<String> known = new ArrayList<>(WHOLE);
        WorkloadSpec.generators().forEach(g -> g.knobs().forEach(knob -> known.add(knob.name())));
        if (!known.contains(key) && !(key.startsWith(POLICY) && key.length() > POLICY.length())) {
            known.add(POLICY + "PARAM");
            throw new IllegalArgumentException("--vary has no key '" + key + "'." + Suggest.among(key, known));
        }
        List<String> values = new ArrayList<>();
        for (String value : text.substring(equals + 1).split(",", -1)) {
            if (value.isBlank() || values.contains(value.strip())) {
                throw Quantity.wrong("--vary", text, "must have different values, none of them empty");
            }
            values.add(value.strip());
        }
        return new Variation(key, List.copyOf(values));
    }

    /** The scenario for every combination of values, checked; the key that was named first changes slowest. */
    public static List<Setting> product(List<Variation> variations, Scenario scenario, Traces traces) {
        List<String> keys = variations.stream().map(Variation::key).toList();
        for (String key : keys) {
            if (keys.indexOf(key) != keys.lastIndexOf(key)) {
                throw Quantity.wrong("--vary", key, "is varied twice; name all its values at once");
            }
        }
        List<Setting> settings = new ArrayList<>();
        expand(variations, Map.of(), scenario, traces, settings);
        return settings;
    }

    private static void expand(
            List<Variation> left,
            Map<String, String> varied,
            Scenario scenario,
            Traces traces,
            List<Setting> settings) {
        if (left.isEmpty()) {
            settings.add(scenario.check(varied, traces));
            if (settings.size() > MOST) {
                throw new IllegalArgumentException("--vary: more than " + MOST + " combinations of values");
            }
            return;
        }
        Variation first = left.get(0);
        for (String value : first.values) {
            Map<String, String> more = new LinkedHashMap<>(varied);
            more.put(first.key, value);
            expand(left.subList(1, left.size()), more, first.with(scenario, value), traces, settings);
        }
    }

    private Scenario with(Scenario scenario, String value) {
        return switch (key) {
            case "cluster" -> scenario.withCluster(value);
            case "estimator" -> scenario.withEstimator(value);
            case "costs" -> scenario.withCosts(value);
            case "models" -> scenario.withModels(value);
            case "speedup" -> scenario.withSpeedup(value);
            default ->
                key.startsWith(POLICY)
                        ? scenario.withPolicyParameter(key.substring(POLICY.length()), value)
                        : scenario.withWorkload(withKnob(scenario.workload(), value));
        };
    }

    private String withKnob(String workload, String value) {
        if (!WorkloadSpec.isGenerator(workload)) {
            throw Quantity.wrong(
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
