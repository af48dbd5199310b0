package dev.fermata.sim.workload;

import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PlainNumber;
import dev.fermata.core.policy.Registry;
import dev.fermata.core.policy.Suggestion;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A generated workload as users write it, checked: {@code synthetic:jobs=5000,load=0.9,trial=0.3}. */
public record WorkloadSpec(String text, WorkloadGenerator generator, WorkloadGenerator.GeneratorValues values) {
    private static final Registry<WorkloadGenerator> GENERATORS = new Registry<>(
            "generator",
            WorkloadGenerator::name,
            List.of(
                    new SyntheticGenerator(),
                    new XionGenerator(),
                    new FitGppGenerator(),
                    new DallyGenerator(),
                    new XonarGenerator(),
                    new JpsGenerator()));

    /** Adds the generators of plugins, in place of those installed before. Called once, before anything is parsed. */
    public static void install(List<WorkloadGenerator> plugins) {
        GENERATORS.install(plugins);
    }

    public static List<WorkloadGenerator> generators() {
        return GENERATORS.all();
    }

    public static boolean isGenerated(String text) {
        return findGenerator(text).isPresent();
    }

    private static Optional<WorkloadGenerator> findGenerator(String text) {
        int colon = text.indexOf(':');
        String name = colon < 0 ? text : text.substring(0, colon);
        return GENERATORS.find(name);
    }

    /** Checks the text without generating anything. */
    public static WorkloadSpec parse(String text) {
        WorkloadGenerator generator =
                findGenerator(text).orElseThrow(() -> new IllegalArgumentException("no generator for '" + text + "'"));
        Map<String, Double> values = new LinkedHashMap<>();
        generator.parameters().forEach(k -> values.put(k.name(), k.defaultValue()));
        int colon = text.indexOf(':');
        String rest = colon < 0 ? "" : text.substring(colon + 1);
        for (String assignment : rest.isEmpty() ? new String[0] : rest.split(",", -1)) {
            int equals = assignment.indexOf('=');
            String key =
                    equals < 0 ? assignment : assignment.substring(0, equals).strip();
            WorkloadGenerator.GeneratorParameter parameter = generator.parameters().stream()
                    .filter(k -> k.name().equals(key))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("workload '" + text + "' has no key '" + key + "'."
                            + Suggestion.didYouMean(key, values.keySet())));
            String valueText =
                    equals < 0 ? "" : assignment.substring(equals + 1).strip();
            values.put(key, parseValue(text, parameter, valueText));
        }
        return new WorkloadSpec(text, generator, new WorkloadGenerator.GeneratorValues(values));
    }

    public static Workload generate(String text, Topology topology, long seed) {
        return parse(text).generate(topology, seed);
    }

    public Workload generate(Topology topology, long seed) {
        return generator.generate(text, values, topology, seed);
    }

    public int jobs() {
        return values.integer("jobs");
    }

    private static double parseValue(String text, WorkloadGenerator.GeneratorParameter parameter, String valueText) {
        try {
            double value = PlainNumber.parse(valueText);
            if (value >= parameter.min()
                    && value <= parameter.max()
                    && (!parameter.integer() || value == Math.rint(value))) {
                return value;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException("workload '" + text + "': " + parameter.name() + " (" + valueText
                + ") must be a " + (parameter.integer() ? "whole " : "") + "number from "
                + formatNumber(parameter.min()) + " to " + formatNumber(parameter.max()));
    }

    private static String formatNumber(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
