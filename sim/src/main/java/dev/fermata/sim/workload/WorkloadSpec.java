package dev.fermata.sim.workload;

import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PlainNumber;
import dev.fermata.core.policy.Suggest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A generated workload as users write it, checked: {@code synthetic:jobs=5000,load=0.9,trial=0.3}. */
public record WorkloadSpec(String text, Generator generator, Generator.Values values) {
    private static final List<Generator> GENERATORS = List.of(
            new Synthetic(), new XionLoad(), new FitGppLoad(), new DallyLoad(), new XonarQueue(), new JpsWorkload());

    public static List<Generator> generators() {
        return GENERATORS;
    }

    public static boolean isGenerator(String text) {
        return named(text).isPresent();
    }

    private static Optional<Generator> named(String text) {
        int colon = text.indexOf(':');
        String name = colon < 0 ? text : text.substring(0, colon);
        return GENERATORS.stream().filter(g -> g.name().equals(name)).findFirst();
    }

    /** Checks the text without generating anything. */
    public static WorkloadSpec parse(String text) {
        Generator generator =
                named(text).orElseThrow(() -> new IllegalArgumentException("no generator for '" + text + "'"));
        Map<String, Double> values = new LinkedHashMap<>();
        generator.knobs().forEach(k -> values.put(k.name(), k.defaultValue()));
        int colon = text.indexOf(':');
        String rest = colon < 0 ? "" : text.substring(colon + 1);
        for (String pair : rest.isEmpty() ? new String[0] : rest.split(",", -1)) {
            int equals = pair.indexOf('=');
            String key = equals < 0 ? pair : pair.substring(0, equals).strip();
            Generator.Knob knob = generator.knobs().stream()
                    .filter(k -> k.name().equals(key))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(
                            "workload '" + text + "' has no key '" + key + "'." + Suggest.among(key, values.keySet())));
            String written = equals < 0 ? "" : pair.substring(equals + 1).strip();
            values.put(key, value(text, knob, written));
        }
        return new WorkloadSpec(text, generator, new Generator.Values(values));
    }

    public static Workload generate(String text, Topology topology, long seed) {
        return parse(text).generate(topology, seed);
    }

    public Workload generate(Topology topology, long seed) {
        return generator.generate(text, values, topology, seed);
    }

    public int jobs() {
        return values.whole("jobs");
    }

    private static double value(String text, Generator.Knob knob, String written) {
        try {
            double value = PlainNumber.parse(written);
            if (value >= knob.min() && value <= knob.max() && (!knob.whole() || value == Math.rint(value))) {
                return value;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException("workload '" + text + "': " + knob.name() + " (" + written + ") must be a "
                + (knob.whole() ? "whole " : "") + "number from " + show(knob.min()) + " to " + show(knob.max()));
    }

    private static String show(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
