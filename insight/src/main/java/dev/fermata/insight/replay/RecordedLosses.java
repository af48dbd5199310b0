package dev.fermata.insight.replay;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.NodeSpec;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Says in terms of single GPUs and drained nodes how a recorded cluster changed. A GPU that is missing, not there yet or used by others
 * is down, a node out of reach is drained. A replay then needs one cluster with every GPU that the history numbers, and
 * takes the rest from the records.
 */
final class RecordedLosses {
    private final Topology cluster;
    private final BitSet missing = new BitSet();
    private final BitSet foreign = new BitSet();
    private final BitSet faulty = new BitSet();
    private final BitSet drained = new BitSet();
    private final BitSet unreachable = new BitSet();

    /** @param cluster with every GPU that the history numbers */
    RecordedLosses(Topology cluster) {
        this.cluster = cluster;
    }

    /** The records that stand for this one. */
    List<HistoryRecord> translate(HistoryRecord record) {
        BitSet before = lost();
        switch (record.type()) {
            case CLUSTER_CHANGED -> {
                HistoryRecord.ClusterChanged changed = (HistoryRecord.ClusterChanged) record;
                Topology now = changed.topology();
                for (int gpu = 0; gpu < cluster.gpuCount(); gpu++) {
                    missing.set(gpu, gpu >= now.gpuCount() || now.isMissing(gpu));
                }
                return changes(before, changed.gpusUp());
            }
            case NODE_ADDED -> {
                HistoryRecord.NodeAdded added = (HistoryRecord.NodeAdded) record;
                describe(added.node(), added.spec());
                return changes(before, added.gpusUp());
            }
            case NODE_CHANGED -> {
                HistoryRecord.NodeChanged changed = (HistoryRecord.NodeChanged) record;
                describe(changed.node(), changed.spec());
                return changes(before, changed.gpusUp());
            }
            case NODE_REMOVED -> {
                HistoryRecord.NodeRemoved removed = (HistoryRecord.NodeRemoved) record;
                Node node = cluster.node(removed.node());
                missing.set(node.firstGpu(), node.endGpu());
                return changes(before, removed.gpusUp());
            }
            case FOREIGN_LOAD_CHANGED -> {
                HistoryRecord.ForeignLoadChanged changed = (HistoryRecord.ForeignLoadChanged) record;
                Node node = cluster.node(changed.node());
                foreign.clear(node.firstGpu(), node.endGpu());
                changed.load().gpus().forEach(foreign::set);
                return changes(before, changed.gpusUp());
            }
            case CAPACITY_CHANGED -> {
                HistoryRecord.CapacityChanged changed = (HistoryRecord.CapacityChanged) record;
                if (changed.isNode()) {
                    return List.of(record);
                }
                faulty.set(changed.index(), !changed.up());
                return changes(before, changed.gpusUp());
            }
            case DRAIN_CHANGED -> {
                HistoryRecord.DrainChanged changed = (HistoryRecord.DrainChanged) record;
                drained.set(changed.node(), changed.drained());
                return unreachable.get(changed.node()) ? List.of() : List.of(record);
            }
            case REACHABILITY_CHANGED -> {
                HistoryRecord.ReachabilityChanged changed = (HistoryRecord.ReachabilityChanged) record;
                unreachable.set(changed.node(), !changed.reachable());
                return drained.get(changed.node())
                        ? List.of()
                        : List.of(new HistoryRecord.DrainChanged(changed.node(), !changed.reachable()));
            }
            default -> {
                return List.of(record);
            }
        }
    }

    private void describe(int node, NodeSpec spec) {
        Node where = cluster.node(node);
        missing.clear(where.firstGpu(), where.endGpu());
        spec.inventory().missing().forEach(position -> missing.set(where.firstGpu() + position));
        missing.set(where.firstGpu() + spec.gpus(), where.endGpu()); // it will grow
    }

    private BitSet lost() {
        BitSet lost = (BitSet) missing.clone();
        lost.or(foreign);
        lost.or(faulty);
        return lost;
    }

    private List<HistoryRecord> changes(BitSet before, int gpusUp) {
        BitSet now = lost();
        before.xor(now);
        List<HistoryRecord> records = new ArrayList<>();
        before.stream()
                .forEach(gpu -> records.add(new HistoryRecord.CapacityChanged(false, gpu, !now.get(gpu), gpusUp)));
        return records;
    }
}
