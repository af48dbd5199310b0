package dev.fermata.core.model;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Matches the cluster that an engine finds with the one that a history knows, by the ids of GPUs. A known GPU keeps its
 * number, one that is not found is missing, a new one is appended. No id ever gets a second number, so no GPU is free
 * under one number while a job holds it under another.
 *
 * <p>A node takes the description of the machine on which all its GPUs are found. Where they are found on several, it
 * stays as it was known.
 */
public final class ClusterMatch {
    private final Topology found;
    private final List<KnownNode> nodes = new ArrayList<>();
    /** The found node of each known GPU that is there. */
    private final Map<String, Node> machineOfGpu = new HashMap<>();

    private final Map<String, GpuType> types = new HashMap<>();

    /** A node of the result. */
    private static final class KnownNode {
        String id;
        String name;
        String rack;
        String type;
        long cpuMilli;
        long memoryMib;
        SortedMap<String, String> labels = new TreeMap<>();
        final List<String> gpuIds = new ArrayList<>();
        /** The machine that describes it, null for none. */
        @Nullable
        Node machine;

        KnownNode(String id, String name, String rack, String type) {
            this.id = id;
            this.name = name;
            this.rack = rack;
            this.type = type;
        }
    }

    private ClusterMatch(Topology found) {
        this.found = found;
    }

    /** The found cluster in the numbers of a known one; {@code known} is null before the first. */
    public static Topology match(@Nullable Topology known, Topology found) {
        return known == null ? found : new ClusterMatch(found).matchWith(known);
    }

    private Topology matchWith(Topology known) {
        known.types().forEach(type -> types.put(type.name(), type));
        found.types().forEach(type -> types.put(type.name(), type)); // as it is now: a driver may report other memory
        for (Node machine : found.nodes()) {
            for (int gpu = machine.firstGpu(); gpu < machine.endGpu(); gpu++) {
                if (!found.isMissing(gpu)) {
                    machineOfGpu.put(found.gpuId(gpu), machine);
                }
            }
        }
        Set<String> knownGpus = new TreeSet<>();
        for (Node node : known.nodes()) {
            KnownNode same = new KnownNode(
                    node.id(),
                    node.name(),
                    known.racks().get(node.rack()).name(),
                    known.types().get(node.type()).name());
            same.cpuMilli = node.cpuMilli();
            same.memoryMib = node.memoryMib();
            same.labels = node.inventory().labels();
            for (int gpu = node.firstGpu(); gpu < node.endGpu(); gpu++) {
                same.gpuIds.add(known.gpuId(gpu));
            }
            knownGpus.addAll(same.gpuIds);
            nodes.add(same);
        }
        nodes.forEach(this::describe);
        for (Node machine : found.nodes()) {
            List<String> added = new ArrayList<>();
            for (int gpu = machine.firstGpu(); gpu < machine.endGpu(); gpu++) {
                if (!found.isMissing(gpu) && !knownGpus.contains(found.gpuId(gpu))) {
                    added.add(found.gpuId(gpu));
                }
            }
            if (!added.isEmpty()) {
                append(machine, added);
            }
        }
        return build();
    }

    /** Takes the description of the one machine on which the GPUs of a node are, unless that is another known machine. */
    private void describe(KnownNode node) {
        Set<Integer> machines = new TreeSet<>();
        node.gpuIds.stream()
                .map(machineOfGpu::get)
                .filter(machine -> machine != null)
                .forEach(machine -> machines.add(machine.index()));
        if (machines.size() != 1) {
            return;
        }
        Node machine = found.node(machines.iterator().next());
        if (isPartOf(node, machine)) {
            node.machine = machine;
            node.name = node.id.equals(machine.id()) ? machine.name() : node.name; // else it has a suffix
        } else if (found.nodes().stream().noneMatch(other -> isPartOf(node, other))
                && nodes.stream().noneMatch(other -> isPartOf(other, machine))) { // the machine has another id now
            node.machine = machine;
            node.id = machine.id();
            node.name = machine.name();
        }
        if (node.machine != null) {
            node.type = found.types().get(machine.type()).name();
            node.rack = found.racks().get(machine.rack()).name();
            node.labels = machine.inventory().labels();
        }
    }

    /** Whether it stands for this machine or for GPUs that were added to it. */
    private static boolean isPartOf(KnownNode node, Node machine) {
        return node.id.equals(machine.id()) || node.id.startsWith(machine.id() + "~");
    }

    /** The GPUs of a node are numbered in one run, so only the last node can grow; else they become a node of their own. */
    private void append(Node machine, List<String> gpuIds) {
        KnownNode last = nodes.get(nodes.size() - 1);
        String type = found.types().get(machine.type()).name();
        boolean describesIt = last.machine != null && last.machine.index() == machine.index();
        if (!describesIt || !isPartOf(last, machine) || !last.type.equals(type)) {
            last = new KnownNode(
                    unused(machine.id(), id -> nodes.stream().anyMatch(node -> node.id.equals(id))),
                    unused(machine.name(), name -> nodes.stream().anyMatch(node -> node.name.equals(name))),
                    found.racks().get(machine.rack()).name(),
                    type);
            nodes.add(last);
        }
        last.machine = machine;
        last.labels = machine.inventory().labels();
        last.gpuIds.addAll(gpuIds);
    }

    private static String unused(String name, Predicate<String> used) {
        String free = name;
        for (int i = 2; used.test(free); i++) {
            free = name + "~" + i;
        }
        return free;
    }

    private Topology build() {
        shareHosts();
        Topology.Builder builder = Topology.builder().network(found.network());
        for (KnownNode node : nodes) {
            builder.rack(node.rack);
            List<Integer> missing = new ArrayList<>();
            boolean derived = true;
            for (int i = 0; i < node.gpuIds.size(); i++) {
                derived &= node.gpuIds.get(i).equals(NodeInventory.of(node.id).gpuId(i));
                if (!machineOfGpu.containsKey(node.gpuIds.get(i))) {
                    missing.add(i);
                }
            }
            builder.node(
                    node.name,
                    Objects.requireNonNull(types.get(node.type)),
                    node.gpuIds.size(),
                    node.cpuMilli,
                    node.memoryMib,
                    new NodeInventory(node.id, derived ? List.of() : node.gpuIds, missing, node.labels));
        }
        return builder.build();
    }

    /** Nodes that stand for parts of one machine share its CPUs and RAM by their number of GPUs. */
    private void shareHosts() {
        Map<Integer, Long> gpusOfMachine = new LinkedHashMap<>();
        for (KnownNode node : nodes) {
            if (node.machine != null) {
                gpusOfMachine.merge(node.machine.index(), present(node), Long::sum);
            }
        }
        for (KnownNode node : nodes) {
            Node machine = node.machine;
            if (machine != null) {
                long all = gpusOfMachine.getOrDefault(machine.index(), 1L);
                node.cpuMilli = share(machine.cpuMilli(), present(node), all);
                node.memoryMib = share(machine.memoryMib(), present(node), all);
            }
        }
    }

    private long present(KnownNode node) {
        return node.gpuIds.stream().filter(machineOfGpu::containsKey).count();
    }

    private static long share(long amount, long part, long all) {
        return amount >= Node.UNLIMITED || part == all ? amount : amount / all * part + amount % all * part / all;
    }
}
