package dev.fermata.insight.replay;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Says in terms of single GPUs how a recorded cluster changed: one that is missing, or not there yet, is down. A replay
 * then needs one cluster with every GPU that the history numbers, and takes the rest from the records.
 */
final class RecordedLosses {
    private final int gpus;
    private final BitSet missing = new BitSet();
    private final BitSet faulty = new BitSet();

    /** @param gpus how many GPUs the history numbers */
    RecordedLosses(int gpus) {
        this.gpus = gpus;
    }

    /** The records that stand for this one. */
    List<HistoryRecord> translate(HistoryRecord record) {
        if (record instanceof HistoryRecord.ClusterChanged changed) {
            return changes(changed);
        }
        if (record instanceof HistoryRecord.CapacityChanged changed && !changed.isNode()) {
            faulty.set(changed.index(), !changed.up());
            return missing.get(changed.index()) ? List.of() : List.of(record);
        }
        return List.of(record);
    }

    private List<HistoryRecord> changes(HistoryRecord.ClusterChanged changed) {
        Topology now = changed.topology();
        List<HistoryRecord> records = new ArrayList<>();
        for (int gpu = 0; gpu < gpus; gpu++) {
            boolean gone = gpu >= now.gpuCount() || now.isMissing(gpu);
            if (gone != missing.get(gpu) && !faulty.get(gpu)) {
                records.add(new HistoryRecord.CapacityChanged(false, gpu, !gone, changed.gpusUp()));
            }
            missing.set(gpu, gone);
        }
        return records;
    }
}
