package dev.fermata.live.conductor;

import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.List;

/** Says what a cluster has, to those who ask for more. */
final class Offer {
    private final Topology topology;

    Offer(Topology topology) {
        this.topology = topology;
    }

    /** What is wrong with a demand of which this cluster can serve at most so many GPUs. */
    String against(Demand demand, int most) {
        StringBuilder text = new StringBuilder("asks for ").append(count(demand.minGpus(), "GPU"));
        if (!demand.gpuTypes().isEmpty()) {
            text.append(" of type ").append(String.join(" or ", demand.gpuTypes()));
        }
        if (demand.gpuMemoryMib() > 0) {
            text.append(" with ").append(demand.gpuMemoryMib()).append(" MiB each");
        }
        if (demand.needsHost()) {
            text.append(" and ")
                    .append(demand.cpuMilliPerGpu() / 1000.0)
                    .append(" CPUs and ")
                    .append(demand.memoryMibPerGpu())
                    .append(" MiB of RAM beside each");
        }
        return text.append("; this cluster can offer at most ")
                .append(most)
                .append(" (it has ")
                .append(all())
                .append(')')
                .toString();
    }

    private String all() {
        List<String> parts = new ArrayList<>();
        for (int t = 0; t < topology.types().size(); t++) {
            GpuType type = topology.types().get(t);
            int index = t;
            long nodes = topology.nodes().stream()
                    .mapToInt(Node::type)
                    .filter(n -> n == index)
                    .count();
            parts.add(topology.gpuCount(t) + " × " + type.name() + " with " + type.memoryMib() + " MiB on "
                    + count(nodes, "node"));
        }
        return String.join(", ", parts);
    }

    private static String count(long number, String thing) {
        return number + " " + thing + (number == 1 ? "" : "s");
    }
}
