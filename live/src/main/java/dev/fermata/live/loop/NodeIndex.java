package dev.fermata.live.loop;

import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Where the nodes and GPUs of the cluster are, by their ids; it follows the cluster at the cost of what changed. */
final class NodeIndex {
    private final List<Node> known = new ArrayList<>();
    private final Map<String, Integer> slotOfId = new HashMap<>();
    private final Map<String, Integer> slotOfGpu = new HashMap<>();
    private final Set<String> names = new HashSet<>();
    /** Ids of nodes that may stand for a part of a machine. */
    private final Set<String> parts = new HashSet<>();

    @SuppressWarnings("ReferenceEquality") // an equal node that is another object is read again, which changes nothing
    void follow(Topology cluster) {
        List<Node> changed = new ArrayList<>();
        for (Node node : cluster.nodes()) {
            if (node.index() >= known.size()) {
                known.add(node);
                changed.add(node);
            } else if (known.get(node.index()) != node) {
                forget(known.get(node.index()));
                known.set(node.index(), node);
                changed.add(node);
            }
        }
        changed.forEach(this::learn);
    }

    private void forget(Node node) {
        slotOfId.remove(node.id(), node.index());
        names.remove(node.name());
        parts.remove(node.id());
        for (int position = 0; position < node.gpus(); position++) {
            slotOfGpu.remove(node.inventory().gpuId(position), node.index());
        }
    }

    private void learn(Node node) {
        slotOfId.put(node.id(), node.index());
        names.add(node.name());
        if (node.id().contains("~")) {
            parts.add(node.id());
        }
        for (int position = 0; position < node.gpus(); position++) {
            slotOfGpu.put(node.inventory().gpuId(position), node.index());
        }
    }

    /** The slot of the node with this id, -1 for none. */
    int slotOf(String id) {
        return slotOfId.getOrDefault(id, -1);
    }

    /** The slot of the node that has, or had, this GPU; -1 for none. */
    int slotOfGpu(String gpuId) {
        return slotOfGpu.getOrDefault(gpuId, -1);
    }

    boolean hasName(String name) {
        return names.contains(name);
    }

    /** Whether further nodes stand for parts of this machine. */
    boolean hasParts(String machine) {
        return parts.stream().anyMatch(id -> id.startsWith(machine + "~"));
    }
}
