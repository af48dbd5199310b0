package dev.fermata.core.policy.place;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Rack;
import dev.fermata.core.model.Tier;
import dev.fermata.core.model.Topology;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The closest place within the tier a job accepts: one node, else one rack, else anywhere. A gang that no empty node (or
 * rack) could ever hold, CPU and RAM counted, accepts the next tier in any case.
 */
final class TierPlacement {
    private record HostKey(int type, long cpuMilli, long memoryMib) {}

    /** The most GPUs that one empty node, and one empty rack, can serve. */
    private record MaxGpus(int node, int rack) {}

    private final Map<HostKey, MaxGpus> known = new HashMap<>();
    /** The cluster of which that is true. */
    private @Nullable Topology knownOf;

    /** Whether a gang of this size that accepts no farther tier than this is only ever put on one node. */
    boolean requiresOneNode(FreeCapacity capacity, JobView job, int type, int gpus, Tier accepts) {
        return !farther(accepts, Tier.NODE)
                && gpus <= maxGpus(capacity.topology(), job.job().demand(), type).node;
    }

    @Nullable
    Allocation choose(FreeCapacity capacity, JobView job, int type, int gpus, Horizon horizon, Tier accepts) {
        MaxGpus max = maxGpus(capacity.topology(), job.job().demand(), type);
        int nodes = capacity.topology().nodes().size();
        if (gpus <= max.node) {
            GangCollector one = new GangCollector(capacity, job, gpus, horizon);
            if (one.takeTightest(type, 0, nodes)) {
                return one.toAllocation();
            }
            if (!farther(accepts, Tier.NODE)) {
                return null;
            }
        }
        if (gpus <= max.rack) {
            Allocation inRack = BestFit.inTightestRack(capacity, job, type, gpus, horizon);
            if (inRack != null || !farther(accepts, Tier.RACK)) {
                return inRack;
            }
        }
        GangCollector anywhere = new GangCollector(capacity, job, gpus, horizon);
        anywhere.takeFullestFirst(type, 0, nodes);
        return anywhere.toAllocation();
    }

    private static boolean farther(Tier accepts, Tier than) {
        return accepts.compareTo(than) > 0;
    }

    @SuppressWarnings("ReferenceEquality") // an equal cluster that is not the same one is searched again
    private MaxGpus maxGpus(Topology topology, Demand demand, int type) {
        if (!demand.needsHostResources()) {
            return new MaxGpus(topology.largestNode(type), topology.largestRack(type));
        }
        if (knownOf != topology) {
            known.clear();
            knownOf = topology;
        }
        HostKey key = new HostKey(type, demand.cpuMilliPerGpu(), demand.memoryMibPerGpu());
        return known.computeIfAbsent(key, a -> search(topology, demand, type));
    }

    private static MaxGpus search(Topology topology, Demand demand, int type) {
        int bestNode = 0;
        int bestRack = 0;
        for (Rack rack : topology.racks()) {
            int inRack = 0;
            for (int n = rack.firstNode(); n < rack.endNode(); n++) {
                Node node = topology.node(n);
                int max = node.rack() == rack.index() && node.type() == type ? demand.maxGpusOn(node) : 0;
                bestNode = Math.max(bestNode, max);
                inRack += max;
            }
            bestRack = Math.max(bestRack, inRack);
        }
        return new MaxGpus(bestNode, bestRack);
    }
}
