package dev.fermata.live.loop;

import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.model.ClusterMatch;
import dev.fermata.core.model.Topology;
import dev.fermata.history.HistoryCodec;
import dev.fermata.history.HistoryEntry;
import dev.fermata.history.SnapshotCodec;
import dev.fermata.live.store.RecoveredState;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the store has, and the cluster whose GPUs it numbers. It is not replayed yet.
 *
 * @param cluster null for a new store, and for one of before format 3
 */
record RecordedState(
        RecoveredState stored,
        Optional<SchedulerSnapshot> snapshot,
        @Nullable Topology cluster) {
    static RecordedState of(RecoveredState stored) {
        Optional<SchedulerSnapshot> snapshot = stored.snapshot().map(SnapshotCodec::decode);
        Topology cluster = snapshot.map(SchedulerSnapshot::topology).orElse(null);
        for (HistoryEntry entry : stored.entries()) {
            cluster = HistoryCodec.clusterOf(entry).orElse(cluster);
        }
        return new RecordedState(stored, snapshot, cluster);
    }

    /**
     * The found cluster in the numbers of the recorded one. Where none is recorded, the GPUs are taken to be the same in the
     * same order.
     */
    Topology match(Topology found) {
        return ClusterMatch.match(cluster, found);
    }
}
