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

    /** The cluster of a history, with every GPU that it numbers: when one was missing, its records say. */
    public static ClusterInput ofHistory(Topology recorded) {
        int nodes = recorded.nodes().size();
        return new ClusterInput(nodes + "x" + recorded.gpuCount() / nodes, recorded.withoutMissing());
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
