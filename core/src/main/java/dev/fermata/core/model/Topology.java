package dev.fermata.core.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The cluster at one time: GPU types, racks, nodes and the network between them. A value that never changes; failures are
 * state.
 *
 * <p>Numbers of nodes and GPUs are slots: what is new is appended ({@link #withNode}, {@link ClusterMatch}), what is gone is
 * missing. A slot stands for the same device until a node that is gone and holds nothing makes room for another.
 */
public final class Topology {
    private final List<GpuType> types;
    private final List<Rack> racks;
    private final List<Node> nodes;
    private final Network network;
    private final int[] nodeOfGpu;
    private final boolean[] missing;
    private final TypeTotals totals;

    private Topology(List<GpuType> types, List<String> rackNames, List<Node> nodes, Network network) {
        this.types = List.copyOf(types);
        this.racks = racks(rackNames, nodes);
        this.nodes = List.copyOf(nodes);
        this.network = network;
        int gpus = nodes.stream().mapToInt(Node::gpus).sum();
        nodeOfGpu = new int[gpus];
        missing = new boolean[gpus];
        for (Node node : nodes) {
            for (int g = 0; g < node.gpus(); g++) {
                nodeOfGpu[node.firstGpu() + g] = node.index();
            }
            markMissing(node);
        }
        totals = new TypeTotals(types.size(), racks.size(), this.nodes);
    }

    /** The same but for what one node says of itself: it has the same numbers, type and rack. */
    private Topology(Topology before, Node node) {
        types = before.types;
        racks = before.racks;
        network = before.network;
        nodeOfGpu = before.nodeOfGpu;
        Node was = before.node(node.index());
        Node[] all = before.nodes.toArray(Node[]::new);
        all[node.index()] = node;
        nodes = List.of(all);
        missing = before.missing.clone();
        Arrays.fill(missing, node.firstGpu(), node.endGpu(), false);
        markMissing(node);
        totals = before.totals.after(was, node);
    }

    private void markMissing(Node node) {
        node.inventory().missing().forEach(position -> missing[node.firstGpu() + position] = true);
    }

    private static List<Rack> racks(List<String> names, List<Node> nodes) {
        int[] first = new int[names.size()];
        int[] end = new int[names.size()];
        int[] counts = new int[names.size()];
        for (Node node : nodes) {
            first[node.rack()] = counts[node.rack()]++ == 0 ? node.index() : first[node.rack()];
            end[node.rack()] = node.index() + 1;
        }
        return IntStream.range(0, names.size())
                .mapToObj(r -> new Rack(r, names.get(r), first[r], end[r], counts[r]))
                .toList();
    }

    /**
     * The cluster with a node in this slot: the next one, or that of a node with as many GPUs. The last node may also get more. All other numbers keep their meaning. A GPU type or a rack of a new name is appended; a known
     * type stays as it is known. Costs the size of the node where type and rack stay.
     */
    public Topology withNode(int slot, NodeSpec spec) {
        boolean appended = slot == nodes.size();
        Node before = appended ? null : nodes.get(slot);
        boolean grows = slot == nodes.size() - 1 && before != null && before.gpus() < spec.gpus();
        Require.that(
                before == null || before.gpus() == spec.gpus() || grows,
                "node (%s) has %s GPUs and cannot take the slot of another number",
                spec.name(),
                spec.gpus());
        int type = typeNamed(spec.type().name());
        int rack = rackNamed(spec.rack());
        Node node = new Node(
                slot,
                spec.name(),
                rack < 0 ? racks.size() : rack,
                type < 0 ? types.size() : type,
                before == null ? gpuCount() : before.firstGpu(),
                spec.gpus(),
                withLimit(spec.host()),
                spec.inventory());
        if (node.equals(before)) {
            return this;
        }
        if (before != null && before.hasFormOf(node)) {
            return new Topology(this, node);
        }
        List<GpuType> allTypes = new ArrayList<>(types);
        if (type < 0) {
            allTypes.add(spec.type());
            Require.that(allTypes.size() <= 64, "a cluster holds at most 64 gpu types");
        }
        List<String> rackNames = new ArrayList<>(racks.stream().map(Rack::name).toList());
        if (rack < 0) {
            rackNames.add(spec.rack());
        }
        List<Node> all = new ArrayList<>(nodes);
        if (appended) {
            all.add(node);
        } else {
            all.set(slot, node);
        }
        return new Topology(allTypes, rackNames, all, network);
    }

    private int rackNamed(String name) {
        for (Rack rack : racks) {
            if (rack.name().equals(name)) {
                return rack.index();
            }
        }
        return -1;
    }

    /** The limit for suspended jobs is one for all nodes, where there is one. */
    private Node.Host withLimit(Node.Host host) {
        Node first = nodes.get(0);
        return first.suspendMemoryMib() == first.memoryMib()
                ? host
                : new Node.Host(host.cpuMilli(), host.memoryMib(), first.suspendMemoryMib());
    }

    /** The number of the GPU type of this name, -1 for none. */
    public int typeNamed(String name) {
        for (int type = 0; type < types.size(); type++) {
            if (types.get(type).name().equals(name)) {
                return type;
            }
        }
        return -1;
    }

    public List<GpuType> types() {
        return types;
    }

    public List<Rack> racks() {
        return racks;
    }

    public List<Node> nodes() {
        return nodes;
    }

    public Node node(int index) {
        return nodes.get(index);
    }

    public Network network() {
        return network;
    }

    /** How many GPUs have a number, also those that are missing. */
    public int gpuCount() {
        return nodeOfGpu.length;
    }

    /** GPUs of a type that are not missing. */
    public int gpuCount(int type) {
        return totals.gpus(type);
    }

    /** Whether the device of this number is gone; the number stays its own in case it returns. */
    public boolean isMissing(int gpu) {
        return missing[gpu];
    }

    /** The stable id of a GPU. */
    public String gpuId(int gpu) {
        Node node = nodes.get(nodeOfGpu[gpu]);
        return node.inventory().gpuId(gpu - node.firstGpu());
    }

    /** Whether every number of an earlier cluster stands for the same GPU here. */
    public boolean continues(Topology earlier) {
        return firstDifference(earlier) < 0;
    }

    /** The first number that stands for another GPU than in an earlier cluster, or for none; -1 where all are the same. */
    public int firstDifference(Topology earlier) {
        for (int gpu = 0; gpu < earlier.gpuCount(); gpu++) {
            boolean same = gpu < gpuCount()
                    && nodeOf(gpu) == earlier.nodeOf(gpu)
                    && gpuId(gpu).equals(earlier.gpuId(gpu));
            if (!same) {
                return gpu;
            }
        }
        return -1;
    }

    /** The same cluster, on whose nodes suspended jobs may hold so much RAM. */
    public Topology withSuspendMemoryMib(long mib) {
        return new Topology(
                types,
                racks.stream().map(Rack::name).toList(),
                nodes.stream()
                        .map(node -> new Node(
                                node.index(),
                                node.name(),
                                node.rack(),
                                node.type(),
                                node.firstGpu(),
                                node.gpus(),
                                new Node.Host(node.cpuMilli(), node.memoryMib(), mib),
                                node.inventory()))
                        .toList(),
                network);
    }

    /** The same cluster with every GPU in place, for a run that takes losses from records. */
    public Topology withoutMissing() {
        return new Topology(
                types,
                racks.stream().map(Rack::name).toList(),
                nodes.stream()
                        .map(node -> new Node(
                                node.index(),
                                node.name(),
                                node.rack(),
                                node.type(),
                                node.firstGpu(),
                                node.gpus(),
                                node.host(),
                                new NodeInventory(
                                        node.id(),
                                        node.inventory().gpuIds(),
                                        List.of(),
                                        node.inventory().labels())))
                        .toList(),
                network);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || (other instanceof Topology that
                        && types.equals(that.types)
                        && racks.equals(that.racks)
                        && nodes.equals(that.nodes)
                        && network.equals(that.network));
    }

    @Override
    public int hashCode() {
        return Objects.hash(types, racks, nodes, network);
    }

    public int nodeOf(int gpu) {
        return nodeOfGpu[gpu];
    }

    public int typeOf(int gpu) {
        return nodes.get(nodeOfGpu[gpu]).type();
    }

    /** GPUs of the largest node of a type: a gang up to this size needs no network. */
    public int largestNode(int type) {
        return totals.largestNode(type);
    }

    public int largestRack(int type) {
        return totals.largestRack(type);
    }

    /** Whether some rack holds GPUs of both types. */
    public boolean shareRack(int type, int other) {
        return totals.shareRack(type, other);
    }

    /** The tightest placement that {@code gpus} GPUs of a type could ever get here. */
    public Shape tightest(int type, int gpus) {
        int perNode = Math.max(1, largestNode(type));
        int nodesNeeded = (gpus + perNode - 1) / perNode;
        int perRack = Math.max(1, largestRack(type));
        int racksNeeded = (gpus + perRack - 1) / perRack;
        return Shape.of(gpus, nodesNeeded, Math.min(racksNeeded, nodesNeeded));
    }

    @Override
    public String toString() {
        return nodes.toString();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Collects nodes rack by rack; the order of calls is the numbering. A rack may be named again to add to it. */
    public static final class Builder {
        private final Map<String, Integer> typeIndex = new LinkedHashMap<>();
        private final List<GpuType> types = new ArrayList<>();
        private final List<String> racks = new ArrayList<>();
        private int rack = -1;
        private final List<Node> nodes = new ArrayList<>();
        private Network network = Network.DEFAULT;
        private int gpus;

        private Builder() {}

        public Builder network(Network value) {
            network = value;
            return this;
        }

        public Builder rack(String name) {
            rack = racks.indexOf(name);
            if (rack < 0) {
                rack = racks.size();
                racks.add(name);
            }
            return this;
        }

        public Builder rack() {
            return rack("rack" + racks.size());
        }

        public Builder node(GpuType type, int count) {
            return node("node" + nodes.size(), type, count, Node.UNLIMITED, Node.UNLIMITED);
        }

        public Builder node(String name, GpuType type, int count, long cpuMilli, long memoryMib) {
            return node(name, type, count, cpuMilli, memoryMib, NodeInventory.of(name));
        }

        public Builder node(
                String name, GpuType type, int count, long cpuMilli, long memoryMib, NodeInventory inventory) {
            if (racks.isEmpty()) {
                rack();
            }
            Integer known = typeIndex.get(type.name());
            if (known == null) {
                known = types.size();
                typeIndex.put(type.name(), known);
                types.add(type);
            }
            Require.that(types.get(known).equals(type), "gpu type (%s) has two meanings in one cluster", type.name());
            Require.that(types.size() <= 64, "a cluster holds at most 64 gpu types");
            nodes.add(new Node(
                    nodes.size(), name, rack, known, gpus, count, new Node.Host(cpuMilli, memoryMib), inventory));
            gpus = Math.addExact(gpus, count);
            return this;
        }

        public Topology build() {
            Require.that(!nodes.isEmpty(), "a cluster needs at least one node");
            Set<String> gpuIds = new HashSet<>();
            for (Node node : nodes) {
                for (String id : node.inventory().gpuIds()) {
                    Require.that(gpuIds.add(id), "gpu id (%s) of node (%s) is used twice", id, node.name());
                }
            }
            return new Topology(types, racks, nodes, network);
        }
    }
}
