package dev.fermata.insight.input;

import dev.fermata.core.model.Topology;
import dev.fermata.sim.cluster.ClusterSpec;
import java.nio.file.Path;
import java.util.Locale;

/** A cluster as the user named it: a spec such as {@code 16x8:V100}, or a file. */
public record ClusterInput(String name, Topology topology) {

    public static ClusterInput parse(String text) {
        return new ClusterInput(text, topology(text));
    }

    private static Topology topology(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        if (lower.endsWith(".csv")) {
            return NodeTable.read(Path.of(text));
        }
        boolean file = lower.endsWith(".yaml") || lower.endsWith(".yml") || lower.endsWith(".json");
        return file ? ClusterFile.read(Path.of(text)) : ClusterSpec.parse(text);
    }
}
