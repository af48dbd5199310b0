package dev.fermata.insight.replay;

import dev.fermata.core.contract.HistoryRecord;

/**
 * One entry of a recorded history.
 *
 * @param actor a user's name, {@code policy}, {@code engine} or {@code daemon}
 * @param reported by an attempt that ends
 */
record RecordedEntry(long atMillis, String actor, HistoryRecord record, StepProgress reported) {
    RecordedEntry withTime(long otherMillis) {
        return new RecordedEntry(otherMillis, actor, record, reported);
    }
}
