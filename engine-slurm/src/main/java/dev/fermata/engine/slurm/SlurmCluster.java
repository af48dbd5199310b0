package dev.fermata.engine.slurm;

import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.NodeInventory;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The GPU nodes of Slurm as a cluster. A node with GPUs of several types is one node here for each type, named {@code
 * NODE:TYPE}. Nodes without GPUs are left out.
 *
 * @param nodes by Slurm's name, in Slurm's order
 */
record SlurmCluster(Topology topology, Map<String, SlurmNode> nodes) {
    private static final Pattern SEPARATORS = Pattern.compile("[^a-z0-9]");

    /** @param switches the nodes of each leaf switch, which is a rack */
    static SlurmCluster of(List<SlurmNode> all, Map<String, List<String>> switches) {
        Map<String, SlurmNode> nodes = new LinkedHashMap<>();
        all.stream().filter(node -> node.gpuCount() > 0).forEach(node -> nodes.put(node.name(), node));
        if (nodes.isEmpty()) {
            throw new IllegalStateException(
                    "Slurm has no node with GPUs (" + all.size() + " nodes). Check Gres= in slurm.conf");
        }
        Set<String> left = new LinkedHashSet<>(nodes.keySet());
        Topology.Builder builder = Topology.builder();
        switches.forEach((rack, members) -> {
            List<String> here = members.stream().filter(left::remove).toList();
            addRack(builder, rack, here, nodes);
        });
        addRack(builder, "slurm", List.copyOf(left), nodes);
        return new SlurmCluster(builder.build(), nodes);
    }

    private static void addRack(
            Topology.Builder builder, String rack, List<String> members, Map<String, SlurmNode> nodes) {
        if (members.isEmpty()) {
            return;
        }
        builder.rack(rack);
        for (String name : members) {
            SlurmNode node = nodes.get(name);
            if (node != null) {
                addNode(builder, node);
            }
        }
    }

    private static void addNode(Topology.Builder builder, SlurmNode node) {
        int first = 0;
        for (Map.Entry<String, Integer> type : node.gpus().entrySet()) {
            int count = type.getValue();
            List<String> ids = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                ids.add(gpuId(node.name(), first + i));
            }
            first += count;
            String name = node.gpus().size() == 1 ? node.name() : node.name() + ":" + type.getKey();
            // The parts of a mixed node share its CPUs and RAM by their number of GPUs.
            builder.node(
                    name,
                    typeOf(type.getKey()),
                    count,
                    node.cpus() * 1000L * count / node.gpuCount(),
                    node.memoryMib() * count / node.gpuCount(),
                    new NodeInventory(name, ids, List.of()));
        }
    }

    /** The id of the GPU with this index on a node of Slurm. */
    static String gpuId(String node, int index) {
        return node + "/" + index;
    }

    /** {@code nvidia_a100-sxm4-80gb} is an A100: the longest known name that it contains. */
    static GpuType typeOf(String gres) {
        if (gres.isEmpty()) {
            return GpuCatalogue.GENERIC;
        }
        String plain = SEPARATORS.matcher(gres.toLowerCase(Locale.ROOT)).replaceAll("");
        GpuType best = null;
        for (GpuType type : GpuCatalogue.known()) {
            boolean found = !type.equals(GpuCatalogue.GENERIC)
                    && plain.contains(type.name().toLowerCase(Locale.ROOT))
                    && (best == null || type.name().length() > best.name().length());
            best = found ? type : best;
        }
        return best == null ? GpuCatalogue.byName(gres) : best;
    }

    /** Slurm's name of a node of the topology. */
    static String hostOf(Node node) {
        return hostOf(node.name());
    }

    static String hostOf(String name) {
        int colon = name.indexOf(':');
        return colon < 0 ? name : name.substring(0, colon);
    }

    /** Slurm's name of the GPU type of a node, where the node has several; empty elsewhere. */
    static String gresTypeOf(Node node) {
        int colon = node.name().indexOf(':');
        return colon < 0 ? "" : node.name().substring(colon + 1);
    }

    /** How other nodes reach this one. */
    String address(Node node) {
        @Nullable SlurmNode known = nodes.get(hostOf(node));
        return known == null || known.address().isEmpty() ? hostOf(node) : known.address();
    }

    /** The memory of a node for each of its GPUs, 0 for unknown. */
    long memoryPerGpuMib(Node node) {
        @Nullable SlurmNode known = nodes.get(hostOf(node));
        return known == null ? 0 : known.memoryMib() / Math.max(1, known.gpuCount());
    }
}
