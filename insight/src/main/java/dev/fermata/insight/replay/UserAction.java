package dev.fermata.insight.replay;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.JobArray;
import org.jspecify.annotations.Nullable;

/** The event behind a recorded user request. Decisions of policies and reports of engines are not repeated. */
final class UserAction {
    private static final String DAEMON = "daemon";

    private UserAction() {}

    static @Nullable Event event(RecordedEntry entry, @Nullable JobTimeline timeline) {
        HistoryRecord record = entry.record();
        return switch (record.type()) {
            case HELD -> new Event.HoldRequested(record.jobId());
            case RELEASED -> new Event.ReleaseRequested(record.jobId());
            case JOB_UPDATED -> new Event.JobUpdated(((HistoryRecord.JobUpdated) record).job());
            case PROFILED -> new Event.Profiled(record.jobId(), ((HistoryRecord.Profiled) record).attempt());
            case QUEUES_SET -> new Event.QueuesSet(((HistoryRecord.QueuesSet) record).rules());
            case CAPACITY_CHANGED -> capacity((HistoryRecord.CapacityChanged) record);
            case DRAIN_CHANGED -> drain((HistoryRecord.DrainChanged) record);
            case CANCELLING -> new Event.CancelRequested(record.jobId());
            case JOB_ENDED -> {
                boolean cancelled = ((HistoryRecord.JobEnded) record).state() == JobState.CANCELLED;
                yield cancelled && !isDependencyCancel(entry, timeline)
                        ? new Event.CancelRequested(record.jobId())
                        : null;
            }
            case SUBMITTED,
                    JOB_REJECTED,
                    STARTED,
                    RUNNING,
                    SPEED_CHANGED,
                    RESERVED,
                    RESERVATION_RELEASED,
                    PREEMPTING,
                    PREEMPTION_DECLINED,
                    START_FAILED,
                    SUSPEND_FAILED,
                    SUSPENSION_ENDED,
                    ATTEMPT_ENDED,
                    NODE_ADDED, // and the next five: RecordedLosses translates them
                    NODE_REMOVED,
                    NODE_CHANGED,
                    REACHABILITY_CHANGED,
                    FOREIGN_LOAD_CHANGED,
                    CLUSTER_CHANGED,
                    ACTION_REJECTED -> null;
        };
    }

    /** Jobs that wait for others are cancelled with them, in the simulation as in reality. */
    private static boolean isDependencyCancel(RecordedEntry entry, @Nullable JobTimeline timeline) {
        return entry.actor().equals(DAEMON)
                && timeline != null
                && (!timeline.job.dependencies().isEmpty()
                        || !timeline.job.array().equals(JobArray.NONE));
    }

    private static Event capacity(HistoryRecord.CapacityChanged record) {
        if (record.isNode()) {
            return record.up() ? new Event.NodeUp(record.index()) : new Event.NodeDown(record.index());
        }
        return record.up() ? new Event.GpuUp(record.index()) : new Event.GpuDown(record.index());
    }

    private static Event drain(HistoryRecord.DrainChanged record) {
        return record.drained() ? new Event.NodeDrained(record.node()) : new Event.NodeUndrained(record.node());
    }
}
