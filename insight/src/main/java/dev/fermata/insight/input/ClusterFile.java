package dev.fermata.insight.input;

import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Link;
import dev.fermata.core.model.Network;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.Suggestion;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A cluster in YAML:
 *
 * <pre>
 * network:                                  # optional, each tier optional
 *   rack: {gbytesPerSecond: 12.5, latencyMicros: 5}
 * gpuTypes:                                 # optional; known types need no entry
 *   A100-40: {memory: 40GiB, speed: 2.2}
 * racks:
 *   - name: r0                              # optional, as are count, cpus and memory
 *     nodes:
 *       - {name: n, count: 4, gpus: 8, type: A100-40, cpus: 64, memory: 512GiB}
 * </pre>
 */
final class ClusterFile {
    private static final int MAX_GPUS = 10_000_000;

    private final Map<String, GpuType> types = new LinkedHashMap<>();
    private final Set<String> nodeNames = new HashSet<>();
    private final Topology.Builder builder = Topology.builder();
    private long gpus;

    private ClusterFile() {}

    static Topology read(Path file) {
        return new ClusterFile().read(YamlTree.read(file));
    }

    private Topology read(YamlTree tree) {
        tree.requireKnownKeys(List.of("network", "gpuTypes", "racks"));
        tree.find("network").ifPresent(network -> builder.network(network(network)));
        tree.find("gpuTypes")
                .ifPresent(all -> all.entries().forEach((name, type) -> types.put(name, type(name, type))));
        int racks = 0;
        for (YamlTree rack : tree.required("racks").items()) {
            rack.requireKnownKeys(List.of("name", "count", "nodes"));
            int count = count(rack);
            for (int i = 0; i < count; i++) {
                String name = rack.find("name").map(YamlTree::text).orElse("");
                builder.rack(name.isEmpty() ? "rack" + racks : numberedName(name, i, count));
                racks++;
                for (YamlTree node : nonEmptyItems(rack.required("nodes"))) {
                    nodes(node, count > 1 ? "r" + i + "-" : "");
                }
            }
        }
        nonEmptyItems(tree.required("racks"));
        return builder.build();
    }

    private static List<YamlTree> nonEmptyItems(YamlTree list) {
        if (list.items().isEmpty()) {
            throw list.error("must not be empty");
        }
        return list.items();
    }

    private void nodes(YamlTree node, String prefix) {
        node.requireKnownKeys(List.of("name", "count", "gpus", "type", "cpus", "memory"));
        int size = node.required("gpus").integer(1, MAX_GPUS);
        int count = count(node);
        gpus += (long) size * count;
        if (gpus > MAX_GPUS) {
            throw node.error("makes the cluster larger than " + MAX_GPUS + " GPUs");
        }
        GpuType type = node.find("type").map(this::knownType).orElse(GpuCatalogue.GENERIC);
        long cpuMilli = node.find("cpus")
                .map(c -> Math.round(c.number(0.001, 1e6) * 1000))
                .orElse(Node.UNLIMITED);
        long memory = node.find("memory").map(YamlTree::mebibytes).orElse(Node.UNLIMITED);
        String given = node.find("name").map(YamlTree::text).orElse("");
        for (int i = 0; i < count; i++) {
            String name = given.isEmpty() ? "node" + nodeNames.size() : prefix + numberedName(given, i, count);
            if (!nodeNames.add(name)) {
                throw node.error("gives the node name '" + name + "' a second time");
            }
            builder.node(name, type, size, cpuMilli, memory);
        }
    }

    private static int count(YamlTree tree) {
        return tree.find("count").map(c -> c.integer(1, MAX_GPUS)).orElse(1);
    }

    private static String numberedName(String name, int i, int count) {
        return count == 1 ? name : name + "-" + i;
    }

    private GpuType type(String name, YamlTree tree) {
        tree.requireKnownKeys(List.of("memory", "speed"));
        GpuType known = GpuCatalogue.byName(name);
        return new GpuType(
                name,
                tree.find("memory")
                        .map(m -> Math.toIntExact(Math.min(Integer.MAX_VALUE, m.mebibytes())))
                        .orElse(known.memoryMib()),
                tree.find("speed").map(s -> s.number(1e-6, 1e6)).orElse(known.speed()));
    }

    private GpuType knownType(YamlTree written) {
        GpuType own = types.get(written.text());
        if (own != null) {
            return own;
        }
        List<String> known = new ArrayList<>(types.keySet());
        for (GpuType type : GpuCatalogue.known()) {
            if (type.name().equalsIgnoreCase(written.text())) {
                return type;
            }
            known.add(type.name());
        }
        throw written.error(
                "is not a known GPU type; gpuTypes can define it." + Suggestion.didYouMean(written.text(), known));
    }

    private static Network network(YamlTree tree) {
        tree.requireKnownKeys(List.of("node", "rack", "spine"));
        return new Network(
                link(tree, "node", Network.DEFAULT.node()),
                link(tree, "rack", Network.DEFAULT.rack()),
                link(tree, "spine", Network.DEFAULT.spine()));
    }

    private static Link link(YamlTree network, String tier, Link otherwise) {
        return network.find(tier)
                .map(link -> {
                    link.requireKnownKeys(List.of("gbytesPerSecond", "latencyMicros"));
                    return new Link(
                            link.find("gbytesPerSecond")
                                    .map(b -> b.number(1e-6, 1e9))
                                    .orElse(otherwise.gigabytesPerSecond()),
                            link.find("latencyMicros")
                                    .map(l -> l.number(0, 1e9))
                                    .orElse(otherwise.latencyMicros()));
                })
                .orElse(otherwise);
    }
}
