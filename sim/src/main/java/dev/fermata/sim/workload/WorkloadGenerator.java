package dev.fermata.sim.workload;

import dev.fermata.core.model.Topology;
import java.util.List;
import java.util.Map;

/** Makes jobs out of a few numbers and a seed. */
public interface WorkloadGenerator {
    String name();

    List<GeneratorParameter> parameters();

    Workload generate(String workload, GeneratorValues values, Topology topology, long seed);

    /** A parameter, with its default and limits. Every generator has one called {@code jobs}. */
    record GeneratorParameter(String name, double defaultValue, double min, double max, boolean integer, String help) {
        public static GeneratorParameter integer(
                String name, double defaultValue, double min, double max, String help) {
            return new GeneratorParameter(name, defaultValue, min, max, true, help);
        }

        public static GeneratorParameter number(String name, double defaultValue, double min, double max, String help) {
            return new GeneratorParameter(name, defaultValue, min, max, false, help);
        }
    }

    /** One value for every knob. */
    record GeneratorValues(Map<String, Double> byName) {
        public double number(String parameter) {
            Double value = byName.get(parameter);
            if (value == null) {
                throw new IllegalArgumentException("no parameter '" + parameter + "'");
            }
            return value;
        }

        public int integer(String parameter) {
            return (int) number(parameter);
        }
    }
}
