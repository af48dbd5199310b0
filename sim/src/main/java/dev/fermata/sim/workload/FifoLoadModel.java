package dev.fermata.sim.workload;

import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A cluster under blocking first come, first served, simulated only to find when the next job is due. That is when the
 * demand of pending and running jobs falls below a multiple of the capacity, in the resource most in demand. Jobs go on
 * one node, the first that has room, as {@code fifo:place=first-node} puts them. A job of half a GPU takes the
 * other half of one, if there is any; which of several, the
 * simulator may choose otherwise, so with halves the load is kept nearly. O(nodes) a job.
 */
final class FifoLoadModel {
    private record QueuedDemand(Demand demand, long durationMillis) {}

    /** @param half the shared GPU of a job of half a GPU, else null */
    private record RunningDemand(
            long endMillis,
            int node,
            Demand demand,
            @Nullable HalfGpu half) {}

    /** A GPU that one or two jobs of half a GPU use. */
    private static final class HalfGpu {
        private int jobs;
    }

    private static final int WHOLE_MILLI = 1000;

    private final Topology topology;
    private final double load;
    private final int[] types;
    private final int[] gpus;
    /** The GPUs of each node of which one half is free, in the order in which they became so. */
    private final List<ArrayDeque<HalfGpu>> openHalves = new ArrayList<>();

    private final long[] cpuMilli;
    private final long[] mib;
    private final ArrayDeque<QueuedDemand> queue = new ArrayDeque<>();
    private final PriorityQueue<RunningDemand> running =
            new PriorityQueue<>(Comparator.comparingLong(RunningDemand::endMillis));
    private final double totalGpus;
    private final double totalCpu;
    private final double totalMib;
    private double requestedGpus;
    private double requestedCpu;
    private double requestedMib;
    private long nowMillis;

    FifoLoadModel(Topology topology, double load) {
        this.topology = topology;
        this.load = load;
        types = IntStream.range(0, topology.types().size())
                .boxed()
                .sorted(Comparator.comparingDouble(t -> -topology.types().get(t).speed()))
                .mapToInt(Integer::intValue)
                .toArray();
        gpus = topology.nodes().stream().mapToInt(Node::gpus).toArray();
        topology.nodes().forEach(node -> openHalves.add(new ArrayDeque<>()));
        cpuMilli = topology.nodes().stream().mapToLong(Node::cpuMilli).toArray();
        mib = topology.nodes().stream().mapToLong(Node::memoryMib).toArray();
        totalGpus = topology.gpuCount();
        totalCpu = topology.nodes().stream().mapToDouble(Node::cpuMilli).sum();
        totalMib = topology.nodes().stream().mapToDouble(Node::memoryMib).sum();
    }

    /** Submits a job as soon as it is due; returns that time. */
    long submit(Demand demand, long durationMillis) {
        while (outstanding() >= load) {
            RunningDemand first = running.remove(); // a job runs: what waits fits on an empty node
            nowMillis = first.endMillis;
            release(first);
            while (!running.isEmpty() && running.peek().endMillis == nowMillis) {
                release(running.remove());
            }
            startQueued();
        }
        queue.addLast(new QueuedDemand(demand, durationMillis));
        addRequested(demand, 1);
        startQueued();
        return nowMillis;
    }

    /** Demand of pending and running jobs over capacity, in the resource where that is most. */
    double outstanding() {
        return Math.max(requestedGpus / totalGpus, Math.max(requestedCpu / totalCpu, requestedMib / totalMib));
    }

    private void addRequested(Demand demand, int sign) {
        requestedGpus += sign * demand.minGpus() * (double) demand.gpuMilli() / WHOLE_MILLI;
        requestedCpu += sign * (double) (demand.minGpus() * demand.cpuMilliPerGpu());
        requestedMib += sign * (double) (demand.minGpus() * demand.memoryMibPerGpu());
    }

    private void allocate(int node, Demand demand, int sign) {
        gpus[node] -= demand.isFractional() ? 0 : sign * demand.minGpus();
        cpuMilli[node] -= (long) sign * demand.minGpus() * demand.cpuMilliPerGpu();
        mib[node] -= (long) sign * demand.minGpus() * demand.memoryMibPerGpu();
    }

    /** The other half of a GPU that is in use, or half of a free one. */
    private HalfGpu takeHalf(int node) {
        HalfGpu open = openHalves.get(node).poll();
        if (open == null) {
            open = new HalfGpu();
            gpus[node]--;
            openHalves.get(node).add(open);
        }
        open.jobs++;
        return open;
    }

    private void releaseHalf(int node, HalfGpu half) {
        half.jobs--;
        if (half.jobs == 0) {
            openHalves.get(node).remove(half);
            gpus[node]++;
        } else {
            openHalves.get(node).add(half);
        }
    }

    private void release(RunningDemand ended) {
        allocate(ended.node, ended.demand, -1);
        if (ended.half != null) {
            releaseHalf(ended.node, ended.half);
        }
        addRequested(ended.demand, -1);
    }

    private void startQueued() {
        for (QueuedDemand head = queue.peek(); head != null; head = queue.peek()) {
            int node = firstNode(head.demand);
            if (node < 0) {
                return;
            }
            queue.remove();
            allocate(node, head.demand, 1);
            double speed = topology.types().get(topology.node(node).type()).speed();
            long end = nowMillis + (long) Math.ceil(head.durationMillis / speed);
            HalfGpu half = head.demand.isFractional() ? takeHalf(node) : null;
            running.add(new RunningDemand(end, node, head.demand, half));
        }
    }

    private int firstNode(Demand demand) {
        int shared = demand.isFractional() ? firstNode(demand, true) : -1;
        return shared >= 0 ? shared : firstNode(demand, false);
    }

    /** @param otherHalf whether to look for the other half of a GPU instead of free ones */
    private int firstNode(Demand demand, boolean otherHalf) {
        for (int type : types) {
            for (int node = 0; node < gpus.length; node++) {
                boolean hasGpus = otherHalf ? !openHalves.get(node).isEmpty() : gpus[node] >= demand.minGpus();
                if (topology.node(node).type() == type
                        && hasGpus
                        && cpuMilli[node] >= demand.minGpus() * demand.cpuMilliPerGpu()
                        && mib[node] >= demand.minGpus() * demand.memoryMibPerGpu()) {
                    return node;
                }
            }
        }
        return -1;
    }
}
