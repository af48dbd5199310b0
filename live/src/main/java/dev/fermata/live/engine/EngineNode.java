package dev.fermata.live.engine;

import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One machine as an engine finds it. Its GPUs may be of several types, or none.
 *
 * @param id stable: it never means another machine later
 * @param rack the switch that it is behind
 * @param gpus those that are there, in their order
 * @param labels for users and node selectors
 */
public record EngineNode(
        String id, String name, String rack, List<Gpu> gpus, Node.Host host, SortedMap<String, String> labels) {
    /** @param id such as its UUID; else the id of its machine and its number there */
    public record Gpu(String id, GpuType type) {}

    public EngineNode {
        gpus = List.copyOf(gpus);
        labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    }

    /** The same with these GPUs. */
    public EngineNode withGpus(List<Gpu> others) {
        return new EngineNode(id, name, rack, others, host, labels);
    }

    /** The machines of a cluster, by id; without what is missing. Nodes that stand for parts of one machine are joined. */
    public static Map<String, EngineNode> of(Topology cluster) {
        Map<String, EngineNode> machines = new LinkedHashMap<>();
        for (Node node : cluster.nodes()) {
            List<Gpu> gpus = new ArrayList<>();
            for (int gpu = node.firstGpu(); gpu < node.endGpu(); gpu++) {
                if (!cluster.isMissing(gpu)) {
                    gpus.add(new Gpu(cluster.gpuId(gpu), cluster.types().get(node.type())));
                }
            }
            EngineNode machine = new EngineNode(
                    node.id(),
                    node.name(),
                    cluster.racks().get(node.rack()).name(),
                    gpus,
                    node.host(),
                    node.inventory().labels());
            machines.merge(node.id(), machine, EngineNode::join);
        }
        return machines;
    }

    private EngineNode join(EngineNode part) {
        List<Gpu> all = new ArrayList<>(gpus);
        all.addAll(part.gpus);
        return new EngineNode(
                id,
                name,
                rack,
                all,
                new Node.Host(sum(host.cpuMilli(), part.host.cpuMilli()), sum(host.memoryMib(), part.host.memoryMib())),
                labels);
    }

    private static long sum(long one, long other) {
        return one >= Node.UNLIMITED || other >= Node.UNLIMITED ? Node.UNLIMITED : one + other;
    }
}
