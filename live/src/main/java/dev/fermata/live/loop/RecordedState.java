package dev.fermata.live.loop;

import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.model.ClusterMatch;
import dev.fermata.core.model.Topology;
import dev.fermata.history.HistoryCodec;
import dev.fermata.history.HistoryEntry;
import dev.fermata.history.SnapshotCodec;
import dev.fermata.live.store.RecoveredState;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the store has, and the cluster whose GPUs it numbers. It is not replayed yet.
 *
 * @param begin the cluster in which the replay begins; the records say how it changed
 * @param end the cluster after the last record; null for a new store, and for one of before format 3
 * @param found the cluster that the engine finds
 * @param now the same in the numbers of the history
 */
record RecordedState(
        RecoveredState stored,
        Optional<SchedulerSnapshot> snapshot,
        Topology begin,
        @Nullable Topology end,
        Topology found,
        Topology now) {
    /** Where no cluster is recorded, the GPUs are taken to be those found in the same order. */
    static RecordedState of(RecoveredState stored, Topology found) {
        Optional<SchedulerSnapshot> snapshot = stored.snapshot().map(SnapshotCodec::decode);
        Topology first = snapshot.map(SchedulerSnapshot::topology).orElse(null);
        Topology last = first;
        for (HistoryEntry entry : stored.entries()) {
            last = HistoryCodec.clusterAfter(last, entry);
            first = first == null ? last : first;
        }
        return new RecordedState(
                stored,
                snapshot,
                Objects.requireNonNullElse(first, found),
                last,
                found,
                ClusterMatch.match(last, found));
    }

    /** Whether the history knows another cluster, or none. */
    boolean hasChanged() {
        return !now.equals(end);
    }
}
