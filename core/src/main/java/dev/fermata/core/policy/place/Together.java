package dev.fermata.core.policy.place;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Space;
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
 * rack) could ever hold, CPU and RAM counted, accepts the next tier whatever it says.
 */
final class Together {
    private record Asked(int type, long cpuMilli, long memoryMib) {}

    /** The most GPUs that one empty node, and one empty rack, can serve. */
    private record Most(int node, int rack) {}

    private final Map<Asked, Most> known = new HashMap<>();

    /** Whether a gang of this size that accepts no farther tier than this is only ever put on one node. */
    boolean onOneNode(Space space, JobView job, int type, int gpus, Tier accepts) {
        return !farther(accepts, Tier.NODE)
                && gpus <= most(space.topology(), job.job().demand(), type).node;
    }

    @Nullable
    Allocation choose(Space space, JobView job, int type, int gpus, Horizon horizon, Tier accepts) {
        Most most = most(space.topology(), job.job().demand(), type);
        int nodes = space.topology().nodes().size();
        if (gpus <= most.node) {
            Gather one = new Gather(space, job, gpus, horizon);
            if (one.tightest(type, 0, nodes)) {
                return one.done();
            }
            if (!farther(accepts, Tier.NODE)) {
                return null;
            }
        }
        if (gpus <= most.rack) {
            Allocation inRack = BestFit.inTightestRack(space, job, type, gpus, horizon);
            if (inRack != null || !farther(accepts, Tier.RACK)) {
                return inRack;
            }
        }
        Gather anywhere = new Gather(space, job, gpus, horizon);
        anywhere.fullestFirst(type, 0, nodes);
        return anywhere.done();
    }

    private static boolean farther(Tier accepts, Tier than) {
        return accepts.compareTo(than) > 0;
    }

    private Most most(Topology topology, Demand demand, int type) {
        if (!demand.needsHost()) {
            return new Most(topology.largestNode(type), topology.largestRack(type));
        }
        Asked asked = new Asked(type, demand.cpuMilliPerGpu(), demand.memoryMibPerGpu());
        return known.computeIfAbsent(asked, a -> search(topology, demand, type));
    }

    private static Most search(Topology topology, Demand demand, int type) {
        int bestNode = 0;
        int bestRack = 0;
        for (Rack rack : topology.racks()) {
            int inRack = 0;
            for (int n = rack.firstNode(); n < rack.endNode(); n++) {
                Node node = topology.node(n);
                int most = node.type() == type ? demand.most(node) : 0;
                bestNode = Math.max(bestNode, most);
                inRack += most;
            }
            bestRack = Math.max(bestRack, inRack);
        }
        return new Most(bestNode, bestRack);
    }
}
