package dev.fermata.core.policy.place;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Space;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Rack;
import dev.fermata.core.model.Topology;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Together or not at all: on one node if some node could ever serve the whole gang, CPU and RAM counted, else in one rack
 * if some rack could, else anywhere.
 */
public final class Consolidate implements Placement {
    private record Asked(int type, long cpuMilli, long memoryMib) {}

    /** The most GPUs that one empty node, and one empty rack, can serve. */
    private record Most(int node, int rack) {}

    private final Map<Asked, Most> known = new HashMap<>();

    @Override
    public boolean consolidates() {
        return true;
    }

    @Override
    public boolean onOneNode(Space space, JobView job, int type, int gpus) {
        return gpus <= most(space.topology(), job.job().demand(), type).node;
    }

    @Override
    public @Nullable Allocation choose(Space space, JobView job, int type, int gpus, Horizon horizon) {
        Most most = most(space.topology(), job.job().demand(), type);
        int nodes = space.topology().nodes().size();
        Gather gather = new Gather(space, job, gpus, horizon);
        if (gpus <= most.node) {
            gather.tightest(type, 0, nodes);
            return gather.done();
        }
        if (gpus <= most.rack) {
            return BestFit.inTightestRack(space, job, type, gpus, horizon);
        }
        gather.fullestFirst(type, 0, nodes);
        return gather.done();
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
