package dev.fermata.core.contract;

import dev.fermata.core.contract.HistoryRecord.ActionRejected;
import dev.fermata.core.contract.HistoryRecord.AttemptEnded;
import dev.fermata.core.contract.HistoryRecord.Cancelling;
import dev.fermata.core.contract.HistoryRecord.CapacityChanged;
import dev.fermata.core.contract.HistoryRecord.ClusterChanged;
import dev.fermata.core.contract.HistoryRecord.DrainChanged;
import dev.fermata.core.contract.HistoryRecord.ForeignLoadChanged;
import dev.fermata.core.contract.HistoryRecord.Held;
import dev.fermata.core.contract.HistoryRecord.JobEnded;
import dev.fermata.core.contract.HistoryRecord.JobRejected;
import dev.fermata.core.contract.HistoryRecord.JobUpdated;
import dev.fermata.core.contract.HistoryRecord.NodeAdded;
import dev.fermata.core.contract.HistoryRecord.NodeChanged;
import dev.fermata.core.contract.HistoryRecord.NodeRemoved;
import dev.fermata.core.contract.HistoryRecord.Preempting;
import dev.fermata.core.contract.HistoryRecord.PreemptionDeclined;
import dev.fermata.core.contract.HistoryRecord.Profiled;
import dev.fermata.core.contract.HistoryRecord.QueuesSet;
import dev.fermata.core.contract.HistoryRecord.ReachabilityChanged;
import dev.fermata.core.contract.HistoryRecord.Released;
import dev.fermata.core.contract.HistoryRecord.ReservationReleased;
import dev.fermata.core.contract.HistoryRecord.Reserved;
import dev.fermata.core.contract.HistoryRecord.Running;
import dev.fermata.core.contract.HistoryRecord.SpeedChanged;
import dev.fermata.core.contract.HistoryRecord.StartFailed;
import dev.fermata.core.contract.HistoryRecord.Started;
import dev.fermata.core.contract.HistoryRecord.Submitted;
import dev.fermata.core.contract.HistoryRecord.SuspendFailed;
import dev.fermata.core.contract.HistoryRecord.SuspensionEnded;

/**
 * Reads history records, one method for each type. A reader that has no use for a group of records says so by
 * implementing the interface that ignores it, and overrides what it reads of the group. A new type of records does not
 * compile in readers that do not ignore its group.
 */
public interface RecordReader {
    void submitted(long nowMillis, Submitted record);

    void jobRejected(long nowMillis, JobRejected record);

    void jobUpdated(long nowMillis, JobUpdated record);

    void held(long nowMillis, Held record);

    void released(long nowMillis, Released record);

    void jobEnded(long nowMillis, JobEnded record);

    void started(long nowMillis, Started record);

    void running(long nowMillis, Running record);

    void speedChanged(long nowMillis, SpeedChanged record);

    void preempting(long nowMillis, Preempting record);

    void profiled(long nowMillis, Profiled record);

    void cancelling(long nowMillis, Cancelling record);

    /** The end of the attempt follows. */
    default void startFailed(long nowMillis, StartFailed record) {}

    /** The attempt runs again. */
    default void suspendFailed(long nowMillis, SuspendFailed record) {}

    default void suspensionEnded(long nowMillis, SuspensionEnded record) {}

    void attemptEnded(long nowMillis, AttemptEnded record);

    void reserved(long nowMillis, Reserved record);

    void reservationReleased(long nowMillis, ReservationReleased record);

    void queuesSet(long nowMillis, QueuesSet record);

    void capacityChanged(long nowMillis, CapacityChanged record);

    void drainChanged(long nowMillis, DrainChanged record);

    void nodeAdded(long nowMillis, NodeAdded record);

    void nodeRemoved(long nowMillis, NodeRemoved record);

    void nodeChanged(long nowMillis, NodeChanged record);

    void reachabilityChanged(long nowMillis, ReachabilityChanged record);

    void foreignLoadChanged(long nowMillis, ForeignLoadChanged record);

    void clusterChanged(long nowMillis, ClusterChanged record);

    void preemptionDeclined(long nowMillis, PreemptionDeclined record);

    void actionRejected(long nowMillis, ActionRejected record);

    /** Passes a record to the method of its type. */
    default void read(long nowMillis, HistoryRecord record) {
        switch (record.type()) {
            case SUBMITTED -> submitted(nowMillis, (Submitted) record);
            case JOB_REJECTED -> jobRejected(nowMillis, (JobRejected) record);
            case JOB_UPDATED -> jobUpdated(nowMillis, (JobUpdated) record);
            case HELD -> held(nowMillis, (Held) record);
            case RELEASED -> released(nowMillis, (Released) record);
            case JOB_ENDED -> jobEnded(nowMillis, (JobEnded) record);
            case STARTED -> started(nowMillis, (Started) record);
            case RUNNING -> running(nowMillis, (Running) record);
            case SPEED_CHANGED -> speedChanged(nowMillis, (SpeedChanged) record);
            case PREEMPTING -> preempting(nowMillis, (Preempting) record);
            case PROFILED -> profiled(nowMillis, (Profiled) record);
            case CANCELLING -> cancelling(nowMillis, (Cancelling) record);
            case START_FAILED -> startFailed(nowMillis, (StartFailed) record);
            case SUSPEND_FAILED -> suspendFailed(nowMillis, (SuspendFailed) record);
            case SUSPENSION_ENDED -> suspensionEnded(nowMillis, (SuspensionEnded) record);
            case ATTEMPT_ENDED -> attemptEnded(nowMillis, (AttemptEnded) record);
            case RESERVED -> reserved(nowMillis, (Reserved) record);
            case RESERVATION_RELEASED -> reservationReleased(nowMillis, (ReservationReleased) record);
            case QUEUES_SET -> queuesSet(nowMillis, (QueuesSet) record);
            case CAPACITY_CHANGED -> capacityChanged(nowMillis, (CapacityChanged) record);
            case DRAIN_CHANGED -> drainChanged(nowMillis, (DrainChanged) record);
            case NODE_ADDED -> nodeAdded(nowMillis, (NodeAdded) record);
            case NODE_REMOVED -> nodeRemoved(nowMillis, (NodeRemoved) record);
            case NODE_CHANGED -> nodeChanged(nowMillis, (NodeChanged) record);
            case REACHABILITY_CHANGED -> reachabilityChanged(nowMillis, (ReachabilityChanged) record);
            case FOREIGN_LOAD_CHANGED -> foreignLoadChanged(nowMillis, (ForeignLoadChanged) record);
            case CLUSTER_CHANGED -> clusterChanged(nowMillis, (ClusterChanged) record);
            case PREEMPTION_DECLINED -> preemptionDeclined(nowMillis, (PreemptionDeclined) record);
            case ACTION_REJECTED -> actionRejected(nowMillis, (ActionRejected) record);
        }
    }

    /** Ignores what users ask of a job, and its end without an attempt. */
    interface IgnoresJobs extends RecordReader {
        @Override
        default void submitted(long nowMillis, Submitted record) {}

        @Override
        default void jobRejected(long nowMillis, JobRejected record) {}

        @Override
        default void jobUpdated(long nowMillis, JobUpdated record) {}

        @Override
        default void held(long nowMillis, Held record) {}

        @Override
        default void released(long nowMillis, Released record) {}

        @Override
        default void jobEnded(long nowMillis, JobEnded record) {}
    }

    /** Ignores what happens to an attempt. */
    interface IgnoresAttempts extends RecordReader {
        @Override
        default void started(long nowMillis, Started record) {}

        @Override
        default void running(long nowMillis, Running record) {}

        @Override
        default void speedChanged(long nowMillis, SpeedChanged record) {}

        @Override
        default void preempting(long nowMillis, Preempting record) {}

        @Override
        default void profiled(long nowMillis, Profiled record) {}

        @Override
        default void cancelling(long nowMillis, Cancelling record) {}

        @Override
        default void attemptEnded(long nowMillis, AttemptEnded record) {}
    }

    /** Ignores reservations of GPUs. */
    interface IgnoresReservations extends RecordReader {
        @Override
        default void reserved(long nowMillis, Reserved record) {}

        @Override
        default void reservationReleased(long nowMillis, ReservationReleased record) {}
    }

    /** Ignores changes of queues and hardware. */
    interface IgnoresCluster extends RecordReader {
        @Override
        default void queuesSet(long nowMillis, QueuesSet record) {}

        @Override
        default void capacityChanged(long nowMillis, CapacityChanged record) {}

        @Override
        default void drainChanged(long nowMillis, DrainChanged record) {}

        @Override
        default void nodeAdded(long nowMillis, NodeAdded record) {}

        @Override
        default void nodeRemoved(long nowMillis, NodeRemoved record) {}

        @Override
        default void nodeChanged(long nowMillis, NodeChanged record) {}

        @Override
        default void reachabilityChanged(long nowMillis, ReachabilityChanged record) {}

        @Override
        default void foreignLoadChanged(long nowMillis, ForeignLoadChanged record) {}

        @Override
        default void clusterChanged(long nowMillis, ClusterChanged record) {}
    }

    /** Ignores what the policy or the guard declined. */
    interface IgnoresDeclines extends RecordReader {
        @Override
        default void preemptionDeclined(long nowMillis, PreemptionDeclined record) {}

        @Override
        default void actionRejected(long nowMillis, ActionRejected record) {}
    }
}
