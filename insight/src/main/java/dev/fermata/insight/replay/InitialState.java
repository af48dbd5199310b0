package dev.fermata.insight.replay;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.RecordReader;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The state of queues and hardware at the begin of a replay window, from the records before it. */
final class InitialState
        implements RecordReader.IgnoresJobs,
                RecordReader.IgnoresAttempts,
                RecordReader.IgnoresReservations,
                RecordReader.IgnoresDeclines {
    /** A node or a GPU. */
    private record CapacityUnit(boolean isNode, int index) {}

    private final Map<CapacityUnit, Event> down = new LinkedHashMap<>();
    private final Map<Integer, Event> drained = new LinkedHashMap<>();
    private final List<Event> rules = new ArrayList<>();

    InitialState(List<RecordedEntry> before) {
        for (RecordedEntry entry : before) {
            read(entry.atMillis(), entry.record());
        }
    }

    @Override
    public void queuesSet(long nowMillis, HistoryRecord.QueuesSet record) {
        rules.clear();
        rules.add(new Event.QueuesSet(record.rules()));
    }

    @Override
    public void capacityChanged(long nowMillis, HistoryRecord.CapacityChanged record) {
        CapacityUnit part = new CapacityUnit(record.isNode(), record.index());
        if (record.up()) {
            down.remove(part);
        } else {
            down.put(part, record.isNode() ? new Event.NodeDown(record.index()) : new Event.GpuDown(record.index()));
        }
    }

    @Override
    public void drainChanged(long nowMillis, HistoryRecord.DrainChanged record) {
        if (record.drained()) {
            drained.put(record.node(), new Event.NodeDrained(record.node()));
        } else {
            drained.remove(record.node());
        }
    }

    // never read: RecordedLosses translates these

    @Override
    public void clusterChanged(long nowMillis, HistoryRecord.ClusterChanged record) {}

    @Override
    public void nodeAdded(long nowMillis, HistoryRecord.NodeAdded record) {}

    @Override
    public void nodeRemoved(long nowMillis, HistoryRecord.NodeRemoved record) {}

    @Override
    public void nodeChanged(long nowMillis, HistoryRecord.NodeChanged record) {}

    @Override
    public void reachabilityChanged(long nowMillis, HistoryRecord.ReachabilityChanged record) {}

    @Override
    public void foreignLoadChanged(long nowMillis, HistoryRecord.ForeignLoadChanged record) {}

    List<Workload.TimedRequest> requests() {
        List<Event> all = new ArrayList<>(rules);
        all.addAll(down.values());
        all.addAll(drained.values());
        return all.stream().map(event -> new Workload.TimedRequest(0, event)).toList();
    }
}
