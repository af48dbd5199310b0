package dev.fermata.live.loop;

import dev.fermata.core.contract.Event;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.NodeInventory;
import dev.fermata.core.model.NodeSpec;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.EngineNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The plain changes of machines, at the cost of their size: a machine of one node is described otherwise, leaves or is new. Whatever
 * else happens (GPUs that move, several types, parts of machines) it leaves to a match of the whole cluster.
 */
final class MachineChanges {
    private final NodeIndex index = new NodeIndex();
    /** The machine that has each GPU, and the GPUs of each machine. */
    private final Map<String, String> owners = new HashMap<>();

    private final Map<String, List<String>> gpusOf = new HashMap<>();

    /** These are all machines. */
    void reset(Collection<EngineNode> machines) {
        owners.clear();
        gpusOf.clear();
        machines.forEach(machine -> own(machine.id(), gpuIds(machine)));
    }

    private static List<String> gpuIds(EngineNode machine) {
        return machine.gpus().stream().map(EngineNode.Gpu::id).toList();
    }

    /** Whether no other machine has one of these GPUs. */
    private boolean own(String machine, List<String> gpus) {
        gpusOf.put(machine, gpus);
        boolean alone = true;
        for (String gpu : gpus) {
            alone &= owners.put(gpu, machine) == null;
        }
        return alone;
    }

    /**
     * What the changes of these machines mean for the cluster; null where that takes a match of all. Then {@link #reset} follows.
     *
     * @param changed the ids of machines in the order of their reports
     * @param machines those that are there, by id
     */
    @Nullable
    List<Event> find(Topology cluster, Collection<String> changed, Map<String, EngineNode> machines) {
        index.follow(cluster);
        for (String id : changed) {
            gpusOf.getOrDefault(id, List.of()).forEach(owners::remove);
        }
        Map<Integer, Event> ofSlots = new TreeMap<>();
        List<Event> added = new ArrayList<>();
        for (String id : changed) {
            EngineNode machine = machines.get(id);
            List<String> had = gpusOf.getOrDefault(id, List.of());
            List<String> gpus = machine == null ? List.of() : gpuIds(machine);
            gpusOf.remove(id);
            int slot = index.slotOf(id);
            boolean elsewhere = !own(id, gpus) || index.hasParts(id) || !areAt(slot, gpus) || !areAt(slot, had);
            GpuType type = machine == null || gpus.isEmpty() ? null : knownType(machine, cluster);
            if (elsewhere || (type == null && !gpus.isEmpty())) {
                return null;
            }
            Node node = slot < 0 ? null : cluster.node(slot);
            if (node != null && sharesGpus(node, id)) {
                return null;
            }
            if (machine != null && type != null && node == null) {
                if (index.hasName(machine.name())) {
                    return null;
                }
                added.add(new Event.NodeAdded(spec(machine, type, gpus)));
            } else if (machine != null && type != null && node != null) {
                NodeSpec spec = spec(machine, type, known(node));
                if (!cluster.withNode(slot, spec).node(slot).equals(node)) {
                    ofSlots.put(slot, new Event.NodeChanged(slot, spec));
                }
            } else if (node != null && node.presentGpus() > 0) {
                ofSlots.put(slot, new Event.NodeRemoved(slot));
            }
        }
        List<Event> all = new ArrayList<>(ofSlots.values());
        all.addAll(added);
        return all;
    }

    /** Whether no other node has, or had, one of these GPUs; for a machine without a node none at all. */
    private boolean areAt(int slot, List<String> gpus) {
        return gpus.stream().allMatch(gpu -> index.slotOfGpu(gpu) == slot);
    }

    private static @Nullable GpuType knownType(EngineNode machine, Topology cluster) {
        GpuType type = machine.gpus().get(0).type();
        boolean one = machine.gpus().stream().allMatch(gpu -> gpu.type().equals(type));
        int known = cluster.typeNamed(type.name());
        return one && known >= 0 && cluster.types().get(known).equals(type) ? type : null;
    }

    private boolean sharesGpus(Node node, String machine) {
        return known(node).stream()
                .anyMatch(gpu -> !owners.getOrDefault(gpu, machine).equals(machine));
    }

    private static List<String> known(Node node) {
        List<String> ids = new ArrayList<>();
        for (int position = 0; position < node.gpus(); position++) {
            ids.add(node.inventory().gpuId(position));
        }
        return ids;
    }

    /** The node of a machine, with GPUs that it may have lost. */
    private static NodeSpec spec(EngineNode machine, GpuType type, List<String> gpus) {
        Set<String> present = new HashSet<>(gpuIds(machine));
        List<Integer> missing = new ArrayList<>();
        boolean derived = true;
        for (int i = 0; i < gpus.size(); i++) {
            derived &= gpus.get(i).equals(NodeInventory.of(machine.id()).gpuId(i));
            if (!present.contains(gpus.get(i))) {
                missing.add(i);
            }
        }
        return new NodeSpec(
                machine.name(),
                machine.rack(),
                type,
                gpus.size(),
                new Node.Host(machine.host().cpuMilli(), machine.host().memoryMib()),
                new NodeInventory(machine.id(), derived ? List.of() : gpus, missing, machine.labels()));
    }
}
