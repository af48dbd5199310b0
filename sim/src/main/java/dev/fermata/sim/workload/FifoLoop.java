package dev.fermata.sim.workload;

import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.stream.IntStream;

/**
 * A cluster under blocking first come, first served, played only to learn when the next job is due: as soon as the demand of
 * those waiting and running falls below a multiple of what the cluster has, in the resource most in demand. Jobs go on one
 * node, the first that has room, as {@code fifo:place=first-node} puts them. O(nodes) a job.
 */
final class FifoLoop {
    private record Waiting(Demand demand, long durationMillis) {}

    private record Running(long endMillis, int node, Demand demand) {}

    private final Topology topology;
    private final double load;
    private final int[] types;
    private final int[] gpus;
    private final long[] cpuMilli;
    private final long[] mib;
    private final ArrayDeque<Waiting> queue = new ArrayDeque<>();
    private final PriorityQueue<Running> running = new PriorityQueue<>(Comparator.comparingLong(Running::endMillis));
    private final double gpusInAll;
    private final double cpuInAll;
    private final double mibInAll;
    private double gpusAsked;
    private double cpuAsked;
    private double mibAsked;
    private long nowMillis;

    FifoLoop(Topology topology, double load) {
        this.topology = topology;
        this.load = load;
        types = IntStream.range(0, topology.types().size())
                .boxed()
                .sorted(Comparator.comparingDouble(t -> -topology.types().get(t).speed()))
                .mapToInt(Integer::intValue)
                .toArray();
        gpus = topology.nodes().stream().mapToInt(Node::gpus).toArray();
        cpuMilli = topology.nodes().stream().mapToLong(Node::cpuMilli).toArray();
        mib = topology.nodes().stream().mapToLong(Node::memoryMib).toArray();
        gpusInAll = topology.gpuCount();
        cpuInAll = topology.nodes().stream().mapToDouble(Node::cpuMilli).sum();
        mibInAll = topology.nodes().stream().mapToDouble(Node::memoryMib).sum();
    }

    /** Submits a job as soon as there is a call for it; answers when that is. */
    long submit(Demand demand, long durationMillis) {
        while (outstanding() >= load) {
            Running first = running.remove(); // somebody runs: what waits fits on an empty node
            nowMillis = first.endMillis;
            leave(first);
            while (!running.isEmpty() && running.peek().endMillis == nowMillis) {
                leave(running.remove());
            }
            startInOrder();
        }
        queue.addLast(new Waiting(demand, durationMillis));
        ask(demand, 1);
        startInOrder();
        return nowMillis;
    }

    /** Demand of those waiting and running over capacity, in the resource where that is most. */
    double outstanding() {
        return Math.max(gpusAsked / gpusInAll, Math.max(cpuAsked / cpuInAll, mibAsked / mibInAll));
    }

    private void ask(Demand demand, int sign) {
        gpusAsked += sign * demand.minGpus();
        cpuAsked += sign * (double) (demand.minGpus() * demand.cpuMilliPerGpu());
        mibAsked += sign * (double) (demand.minGpus() * demand.memoryMibPerGpu());
    }

    private void hold(int node, Demand demand, int sign) {
        gpus[node] -= sign * demand.minGpus();
        cpuMilli[node] -= (long) sign * demand.minGpus() * demand.cpuMilliPerGpu();
        mib[node] -= (long) sign * demand.minGpus() * demand.memoryMibPerGpu();
    }

    private void leave(Running gone) {
        hold(gone.node, gone.demand, -1);
        ask(gone.demand, -1);
    }

    private void startInOrder() {
        for (Waiting head = queue.peek(); head != null; head = queue.peek()) {
            int node = firstNode(head.demand);
            if (node < 0) {
                return;
            }
            queue.remove();
            hold(node, head.demand, 1);
            double speed = topology.types().get(topology.node(node).type()).speed();
            long end = nowMillis + (long) Math.ceil(head.durationMillis / speed);
            running.add(new Running(end, node, head.demand));
        }
    }

    private int firstNode(Demand demand) {
        for (int type : types) {
            for (int node = 0; node < gpus.length; node++) {
                if (topology.node(node).type() == type
                        && gpus[node] >= demand.minGpus()
                        && cpuMilli[node] >= demand.minGpus() * demand.cpuMilliPerGpu()
                        && mib[node] >= demand.minGpus() * demand.memoryMibPerGpu()) {
                    return node;
                }
            }
        }
        return -1;
    }
}
