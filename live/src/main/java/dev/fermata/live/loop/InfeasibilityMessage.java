package dev.fermata.live.loop;

import dev.fermata.core.contract.Count;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.List;

/** Describes why a cluster can never run a job. */
public final class InfeasibilityMessage {
    private final Topology topology;

    public InfeasibilityMessage(Topology topology) {
        this.topology = topology;
    }

    /** Describes a demand; the cluster can serve at most {@code max} GPUs of it. */
    public String describe(Demand demand, int max) {
        StringBuilder text = new StringBuilder("requests ").append(Count.of(demand.minGpus(), "GPU"));
        if (!demand.gpuTypes().isEmpty()) {
            text.append(" of type ").append(String.join(" or ", demand.gpuTypes()));
        }
        if (demand.gpuMemoryMib() > 0) {
            text.append(" with ").append(demand.gpuMemoryMib()).append(" MiB each");
        }
        if (demand.needsHostResources()) {
            text.append(" and ")
                    .append(demand.cpuMilliPerGpu() / 1000.0)
                    .append(" CPUs and ")
                    .append(demand.memoryMibPerGpu())
                    .append(" MiB of RAM for each");
        }
        return text.append("; this cluster can offer at most ")
                .append(max)
                .append(" (it has ")
                .append(describeCluster())
                .append(')')
                .toString();
    }

    private String describeCluster() {
        List<String> parts = new ArrayList<>();
        for (int t = 0; t < topology.types().size(); t++) {
            GpuType type = topology.types().get(t);
            int index = t;
            long nodes = topology.nodes().stream()
                    .mapToInt(Node::type)
                    .filter(n -> n == index)
                    .count();
            parts.add(topology.gpuCount(t) + " × " + type.name() + " with " + type.memoryMib() + " MiB on "
                    + Count.of(nodes, "node"));
        }
        return String.join(", ", parts);
    }
}
