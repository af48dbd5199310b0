package dev.fermata.sim.workload;

import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PlainNumber;
import dev.fermata.core.policy.Suggest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Generated workloads as users write them: {@code synthetic:jobs=5000,load=0.9,trial=0.3}. */
public final class WorkloadSpec {
    private static final String SYNTHETIC = "synthetic";

    /** A knob of the generator with its default and limits. */
    public record Knob(String name, double defaultValue, double min, double max, boolean whole, String help) {}

    private static final List<Knob> KNOBS = List.of(
            new Knob("jobs", 2000, 1, 20_000_000, true, "number of jobs"),
            new Knob("load", 0.9, 0.01, 100, false, "work submitted over what the cluster can do meanwhile"),
            new Knob("trial", 0.3, 0, 1, false, "share of trial jobs"),
            new Knob("median", 1200, 1, 1e7, false, "median duration of batch jobs of one GPU, in seconds"),
            new Knob("sigma", 1.5, 0, 4, false, "spread of batch durations (of the logarithm)"),
            new Knob("max-gpus", 64, 1, 1_000_000, true, "largest gang"),
            new Knob("diurnal", 0.6, 0, 1, false, "0: steady arrivals, 1: none at night"),
            new Knob("users", 50, 1, 1_000_000, true, "number of users"));

    private WorkloadSpec() {}

    public static List<Knob> knobs() {
        return KNOBS;
    }

    public static boolean isGenerator(String text) {
        return text.equals(SYNTHETIC) || text.startsWith(SYNTHETIC + ":");
    }

    /** Checks the text without generating anything. */
    public static Synthetic.Shape shape(String text) {
        Map<String, Double> values = new LinkedHashMap<>();
        KNOBS.forEach(k -> values.put(k.name, k.defaultValue));
        String rest = text.length() > SYNTHETIC.length() ? text.substring(SYNTHETIC.length() + 1) : "";
        for (String pair : rest.isEmpty() ? new String[0] : rest.split(",", -1)) {
            int equals = pair.indexOf('=');
            String key = equals < 0 ? pair : pair.substring(0, equals).strip();
            Knob knob = KNOBS.stream()
                    .filter(k -> k.name.equals(key))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(
                            "workload '" + text + "' has no key '" + key + "'." + Suggest.among(key, values.keySet())));
            values.put(
                    key,
                    value(
                            text,
                            knob,
                            equals < 0 ? "" : pair.substring(equals + 1).strip()));
        }
        return new Synthetic.Shape(
                whole(values, "jobs"),
                get(values, "load"),
                get(values, "trial"),
                get(values, "median"),
                get(values, "sigma"),
                whole(values, "max-gpus"),
                get(values, "diurnal"),
                whole(values, "users"));
    }

    public static Workload generate(String text, Topology topology, long seed) {
        return Synthetic.generate(text, shape(text), topology, seed);
    }

    private static double value(String text, Knob knob, String written) {
        try {
            double value = PlainNumber.parse(written);
            if (value >= knob.min && value <= knob.max && (!knob.whole || value == Math.rint(value))) {
                return value;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new IllegalArgumentException("workload '" + text + "': " + knob.name + " (" + written + ") must be a "
                + (knob.whole ? "whole " : "") + "number from " + show(knob.min) + " to " + show(knob.max));
    }

    private static String show(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }

    private static double get(Map<String, Double> values, String key) {
        return values.getOrDefault(key, 0.0);
    }

    private static int whole(Map<String, Double> values, String key) {
        return (int) get(values, key);
    }
}
