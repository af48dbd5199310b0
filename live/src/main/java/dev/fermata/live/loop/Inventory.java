package dev.fermata.live.loop;

import dev.fermata.core.contract.Event;
import dev.fermata.core.model.ClusterMatch;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.NodeInventory;
import dev.fermata.core.model.NodeSpec;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.EngineNode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The machines as the engine last described them, and what that means for the nodes of the cluster. A machine with GPUs of several types is
 * several nodes, which share its CPUs and RAM; one without GPUs is none.
 */
final class Inventory {
    private static final Logger LOG = LoggerFactory.getLogger(Inventory.class);

    private final Map<String, EngineNode> machines;
    /** Ids of machines that changed since the last call, in the order of their reports. */
    private final Set<String> changed = new LinkedHashSet<>();

    private final MachineChanges changes = new MachineChanges();

    /** @param found the cluster as the engine found it when it was opened */
    Inventory(Topology found) {
        machines = EngineNode.of(found);
        changes.reset(machines.values());
    }

    void report(EngineNode machine) {
        EngineNode before = machines.remove(machine.id());
        machines.put(machine.id(), machine); // last: where two machines name one GPU, the later report counts
        if (!machine.equals(before)) {
            changed.remove(machine.id());
            changed.add(machine.id());
        }
        if (before == null) {
            LOG.info("node {}: added; GPUs: {}", machine.name(), machine.gpus().size());
        } else if (!machine.gpus().equals(before.gpus())) {
            LOG.info(
                    "node {}: changed; GPUs now: {}, before: {}",
                    machine.name(),
                    machine.gpus().size(),
                    before.gpus().size());
        }
    }

    void remove(String id) {
        EngineNode gone = machines.remove(id);
        if (gone != null) {
            LOG.info("node {}: removed", gone.name());
            changed.add(id);
        }
    }

    /** What has changed since the last call, in the numbers of this cluster. */
    List<Event> takeChanges(Topology cluster) {
        if (changed.isEmpty()) {
            return List.of();
        }
        List<Event> plain = changes.find(cluster, changed, machines);
        List<Event> events = plain == null ? match(cluster) : plain;
        changed.clear();
        return events;
    }

    /** The same by a match of the whole cluster. */
    List<Event> match(Topology cluster) {
        List<Event> events = matchPresent(cluster);
        changes.reset(machines.values());
        return events;
    }

    private List<Event> matchPresent(Topology cluster) {
        Set<String> present = presentGpus();
        if (present.isEmpty()) {
            return IntStream.range(0, cluster.nodes().size())
                    .filter(node -> cluster.node(node).presentGpus() > 0)
                    .<Event>mapToObj(Event.NodeRemoved::new)
                    .toList();
        }
        return difference(cluster, ClusterMatch.match(cluster, found()));
    }

    private static List<Event> difference(Topology before, Topology now) {
        List<Event> events = new ArrayList<>();
        for (Node node : now.nodes()) {
            NodeSpec spec = NodeSpec.of(now, node.index());
            if (node.index() >= before.nodes().size()) {
                events.add(new Event.NodeAdded(spec));
            } else if (!spec.equals(NodeSpec.of(before, node.index()))
                    && !before.withNode(node.index(), spec).equals(before)) {
                boolean gone = node.presentGpus() == 0;
                events.add(gone ? new Event.NodeRemoved(node.index()) : new Event.NodeChanged(node.index(), spec));
            }
        }
        return events;
    }

    /** Each GPU once, with the machine that names it last. */
    private Set<String> presentGpus() {
        Set<String> seen = new HashSet<>();
        List<EngineNode> latestFirst = new ArrayList<>(machines.values());
        Collections.reverse(latestFirst);
        for (EngineNode machine : latestFirst) {
            List<EngineNode.Gpu> own =
                    machine.gpus().stream().filter(gpu -> seen.add(gpu.id())).toList();
            if (own.size() < machine.gpus().size()) {
                LOG.warn(
                        "node {}: some of its GPUs are reported by another node too; they count there", machine.name());
                machines.replace(machine.id(), machine.withGpus(own));
            }
        }
        return seen;
    }

    private Topology found() {
        Topology.Builder builder = Topology.builder();
        Map<String, GpuType> types = new LinkedHashMap<>();
        for (EngineNode machine : machines.values()) {
            Map<String, List<String>> gpusByType = new LinkedHashMap<>();
            for (EngineNode.Gpu gpu : machine.gpus()) {
                types.putIfAbsent(gpu.type().name(), gpu.type());
                gpusByType
                        .computeIfAbsent(gpu.type().name(), type -> new ArrayList<>())
                        .add(gpu.id());
            }
            gpusByType.forEach((type, ids) -> {
                GpuType known = types.getOrDefault(type, machine.gpus().get(0).type());
                long all = machine.gpus().size();
                builder.rack(machine.rack())
                        .node(
                                machine.name(),
                                known,
                                ids.size(),
                                part(machine.host().cpuMilli(), ids.size(), all),
                                part(machine.host().memoryMib(), ids.size(), all),
                                new NodeInventory(machine.id(), ids, List.of()).withLabels(machine.labels()));
            });
        }
        return builder.build();
    }

    private static long part(long amount, long gpus, long all) {
        return amount >= Node.UNLIMITED || gpus == all ? amount : amount / all * gpus + amount % all * gpus / all;
    }

    /** The nodes of a cluster that stand for a machine or a part of it. */
    static List<Node> nodesOf(String machine, Topology cluster) {
        return cluster.nodes().stream()
                .filter(node -> node.id().equals(machine) || node.id().startsWith(machine + "~"))
                .toList();
    }
}
