package dev.fermata.sim.workload;

import dev.fermata.core.model.Topology;
import java.util.List;
import java.util.Map;

/** Makes jobs out of a few numbers and a seed. */
public interface Generator {
    String name();

    List<Knob> knobs();

    Workload generate(String workload, Values values, Topology topology, long seed);

    /** A number it asks for, with its default and limits. Every generator has one called {@code jobs}. */
    record Knob(String name, double defaultValue, double min, double max, boolean whole, String help) {
        public static Knob whole(String name, double defaultValue, double min, double max, String help) {
            return new Knob(name, defaultValue, min, max, true, help);
        }

        public static Knob number(String name, double defaultValue, double min, double max, String help) {
            return new Knob(name, defaultValue, min, max, false, help);
        }
    }

    /** One value for every knob. */
    record Values(Map<String, Double> byName) {
        public double number(String knob) {
            Double value = byName.get(knob);
            if (value == null) {
                throw new IllegalArgumentException("no knob '" + knob + "'");
            }
            return value;
        }

        public int whole(String knob) {
            return (int) number(knob);
        }
    }
}
