package dev.fermata.core.scheduler;

import dev.fermata.core.contract.DrainNote;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.PreemptWay;
import dev.fermata.core.contract.Suspension;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import org.jspecify.annotations.Nullable;

/**
 * Applies events to the cluster state. It drops late events: those of an attempt that is not the current one, or of a job
 * that has ended.
 */
final class EventHandler {
    private final ClusterState cluster;

    EventHandler(ClusterState cluster) {
        this.cluster = cluster;
    }

    void handle(Event event) {
        switch (event.type()) {
            case SUBMITTED -> submit(((Event.Submitted) event).job());
            case RUNNING -> {
                Event.Running e = (Event.Running) event;
                TrackedJob job = findCurrent(e.jobId(), e.attempt());
                if (job != null && job.state == JobState.STARTING) {
                    cluster.markRunning(job, e.speedMicro());
                    cluster.startFailures.succeed(job);
                }
            }
            case SPEED_CHANGED -> {
                Event.SpeedChanged e = (Event.SpeedChanged) event;
                TrackedJob job = findCurrent(e.jobId(), e.attempt());
                if (job != null && job.state == JobState.RUNNING) {
                    cluster.changeSpeed(job, e.speedMicro());
                }
            }
            case PROFILED -> {
                Event.Profiled e = (Event.Profiled) event;
                TrackedJob job = findCurrent(e.jobId(), e.attempt());
                if (job != null && job.state == JobState.RUNNING) {
                    cluster.endProfilingRun(job);
                }
            }
            case START_FAILED -> {
                Event.StartFailed e = (Event.StartFailed) event;
                TrackedJob job = findCurrent(e.jobId(), e.attempt());
                if (job != null && (job.state == JobState.STARTING || job.cancelling)) {
                    cluster.startFailures.fail(job, e.cause(), e.node());
                }
            }
            case SUSPEND_FAILED -> {
                Event.SuspendFailed e = (Event.SuspendFailed) event;
                TrackedJob job = findCurrent(e.jobId(), e.attempt());
                if (job != null && job.state == JobState.PREEMPTING && job.suspending && !job.cancelling) {
                    cluster.suspended.fail(
                            job,
                            new HistoryRecord.SuspendFailed(
                                    e.jobId(), e.attempt(), e.speedMicro(), e.cause(), e.lasting()));
                }
            }
            case SUSPENSION_LOST -> {
                Event.SuspensionLost e = (Event.SuspensionLost) event;
                TrackedJob job = cluster.find(e.jobId());
                Suspension suspension = job == null ? null : job.suspension;
                if (job != null && suspension != null && job.state == JobState.PENDING) {
                    cluster.suspended.lose(job, suspension.savedWorkMillis(), e.cause());
                }
            }
            case ATTEMPT_ENDED -> {
                Event.AttemptEnded e = (Event.AttemptEnded) event;
                TrackedJob job = findCurrent(e.jobId(), e.attempt());
                if (job != null && job.state.holdsGpus()) {
                    cluster.endAttempt(job, e.outcome(), e.usage(), nextState(job, e.outcome(), e.mayRetry()));
                    cluster.suspended.loseIfNodeLeft(job);
                }
            }
            case CANCEL_REQUESTED -> cancel(cluster.find(((Event.CancelRequested) event).jobId()));
            case HOLD_REQUESTED -> setOnHold(cluster.find(((Event.HoldRequested) event).jobId()), true);
            case RELEASE_REQUESTED -> setOnHold(cluster.find(((Event.ReleaseRequested) event).jobId()), false);
            case SUSPEND_REQUESTED -> {
                TrackedJob job = cluster.find(((Event.SuspendRequested) event).jobId());
                if (job != null && cluster.suspended.obstacle(job) == null) {
                    setOnHold(job, true);
                    cluster.preempt(
                            job,
                            new HistoryRecord.Preempting(job.id(), job.attempt, job.id(), 0, 0, PreemptWay.SUSPEND));
                }
            }
            case JOB_UPDATED -> update(((Event.JobUpdated) event).job());
            case QUEUES_SET -> cluster.setQueueRules(((Event.QueuesSet) event).rules());
            case NODE_DOWN -> cluster.nodes.setDown(true, ((Event.NodeDown) event).node(), true);
            case NODE_UP -> cluster.nodes.setDown(true, ((Event.NodeUp) event).node(), false);
            case NODE_DRAINED -> {
                Event.NodeDrained e = (Event.NodeDrained) event;
                setDrained(e.node(), e.note());
            }
            case NODE_UNDRAINED -> setDrained(((Event.NodeUndrained) event).node(), null);
            case GPU_DOWN -> cluster.nodes.setDown(false, ((Event.GpuDown) event).gpu(), true);
            case GPU_UP -> cluster.nodes.setDown(false, ((Event.GpuUp) event).gpu(), false);
            case NODE_ADDED -> cluster.nodes.add(((Event.NodeAdded) event).spec());
            case NODE_REMOVED -> {
                int node = ((Event.NodeRemoved) event).node();
                if (cluster.topology.node(node).presentGpus() > 0) {
                    cluster.nodes.remove(node);
                    cluster.suspended.loseOn(node);
                }
            }
            case NODE_CHANGED -> {
                Event.NodeChanged e = (Event.NodeChanged) event;
                cluster.nodes.change(e.node(), e.spec());
            }
            case NODE_UNREACHABLE -> setUnreachable(((Event.NodeUnreachable) event).node(), true);
            case NODE_REACHABLE -> setUnreachable(((Event.NodeReachable) event).node(), false);
            case FOREIGN_LOAD_CHANGED -> {
                Event.ForeignLoadChanged e = (Event.ForeignLoadChanged) event;
                if (!e.load().equals(cluster.capacity.conditions.foreign(e.node()))) {
                    cluster.nodes.setForeignLoad(e.node(), e.load());
                }
            }
            case CLUSTER_CHANGED -> changeCluster(((Event.ClusterChanged) event).topology());
        }
    }

    private @Nullable TrackedJob findCurrent(long id, int attempt) {
        TrackedJob job = cluster.find(id);
        return job != null && job.attempt == attempt ? job : null;
    }

    private void submit(Job job) {
        if (cluster.find(job.id()) != null) {
            throw new IllegalArgumentException("job id (" + job.id() + ") is in use by a live job");
        }
        int needed = job.demand().minGpus();
        int feasible =
                cluster.feasibility.maxGpusOfOneType(job.demand(), job.demand().eligibleTypes(cluster.topology));
        if (feasible < needed) {
            cluster.records.add(
                    new HistoryRecord.JobRejected(job, new PendingReason.Unsatisfiable(job.id(), needed, feasible)));
        } else {
            cluster.addPending(job, cluster.nowMillis);
        }
    }

    private static JobState nextState(TrackedJob job, Outcome outcome, boolean mayRetry) {
        if (job.cancelling && outcome != Outcome.COMPLETED) {
            return JobState.CANCELLED;
        }
        return switch (outcome) {
            case COMPLETED -> JobState.COMPLETED;
            case FAILED -> JobState.FAILED;
            case CANCELLED -> JobState.CANCELLED;
            case TIMEOUT -> JobState.TIMEOUT;
            case PREEMPTED, SUSPENDED, LOST -> JobState.PENDING;
            case OOM -> mayRetry && job.outOfMemory < job.job.maxOutOfMemory() ? JobState.PENDING : JobState.OOM;
        };
    }

    private void cancel(@Nullable TrackedJob job) {
        if (job != null && job.state == JobState.PENDING) {
            cluster.endPending(job, JobState.CANCELLED);
        } else if (job != null && !job.cancelling) {
            cluster.beginCancel(job);
        }
    }

    private void setOnHold(@Nullable TrackedJob job, boolean onHold) {
        if (job != null && job.onHold != onHold) {
            cluster.setOnHold(job, onHold);
        }
    }

    private void setDrained(int node, @Nullable DrainNote note) {
        NodeConditions now = cluster.capacity.conditions;
        boolean same = now.isDrained(node) == (note != null)
                && (note == null || now.drainNote(node).equals(note));
        if (!same) {
            cluster.nodes.setDrained(node, note);
        }
    }

    private void setUnreachable(int node, boolean unreachable) {
        if (cluster.capacity.conditions.isUnreachable(node) != unreachable) {
            cluster.nodes.setUnreachable(node, unreachable);
        }
    }

    private void update(Job updated) {
        TrackedJob job = cluster.find(updated.id());
        String rule = job == null ? null : demandChangeViolation(job, updated.demand());
        if (rule != null) {
            cluster.records.add(new HistoryRecord.ActionRejected(updated.id(), "JobUpdated", rule));
        } else if (job != null && !updated.equals(job.job)) {
            cluster.updateJob(job, updated);
        }
    }

    /**
     * The demand of a job stays as it is, since the job may hold it. Only its GPU memory may become better known, while the job
     * holds no GPUs and has no reservation.
     */
    private @Nullable String demandChangeViolation(TrackedJob job, Demand updated) {
        Demand was = job.job.demand();
        if (updated.equals(was)) {
            return null;
        }
        if (!updated.withGpuMemory(was.gpuMemoryMib()).equals(was)) {
            return "the demand of a job stays as it was submitted";
        }
        if (job.state != JobState.PENDING || job.reservation != null) {
            return "the GPU memory of a job stays while it holds GPUs or has a reservation";
        }
        return cluster.feasibility.maxGpusOfOneType(updated, updated.eligibleTypes(cluster.topology))
                        < updated.minGpus()
                ? "no GPUs of this cluster have that much memory"
                : null;
    }

    private void changeCluster(Topology now) {
        int other = now.firstDifference(cluster.topology);
        if (other >= 0) {
            throw new IllegalArgumentException("gpu " + other + " (" + cluster.topology.gpuId(other)
                    + ") of this cluster would be another one; numbers keep their meaning");
        }
        cluster.nodes.changeTo(now);
    }
}
