package dev.fermata.live.state;

import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import java.util.List;

/**
 * The cluster as other threads see it, all of it at one moment: what the scheduler loop publishes when a cycle is durable.
 *
 * @param topology in the numbers of the history; before this daemon leads, in those of the engine
 * @param nodes empty before this daemon leads
 * @param rulesNameGroups whether a queue rule names groups of users
 * @param changeSeq grows with every cycle that wrote a history record
 */
public record ClusterStatus(
        Topology topology,
        List<GpuState> gpus,
        List<NodeState> nodes,
        List<QueueState> queues,
        boolean rulesNameGroups,
        long changeSeq) {
    /** Of a cluster that no daemon has recovered yet. */
    public static ClusterStatus idle(Topology topology) {
        return new ClusterStatus(topology, GpuOccupancy.idle(topology), List.of(), List.of(), false, 0);
    }

    /** The projections as they are now. */
    public static ClusterStatus of(
            Topology topology, GpuOccupancy occupancy, LiveJobIndex liveJobs, List<QueueRule> rules, long changeSeq) {
        return new ClusterStatus(
                topology,
                occupancy.gpuStates(),
                occupancy.nodeStates(),
                liveJobs.queueStates(rules),
                rules.stream().anyMatch(rule -> rule.terms().namesGroups()),
                changeSeq);
    }
}
