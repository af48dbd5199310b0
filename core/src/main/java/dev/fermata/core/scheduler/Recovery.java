package dev.fermata.core.scheduler;

import dev.fermata.core.contract.ForeignLoad;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.contract.SchedulerSnapshot.DrainedNode;
import dev.fermata.core.contract.SchedulerSnapshot.ForeignNode;
import dev.fermata.core.contract.SchedulerSnapshot.Gpus;
import dev.fermata.core.contract.SchedulerSnapshot.JobSnapshot;
import dev.fermata.core.contract.SchedulerSnapshot.LastDeclined;
import dev.fermata.core.contract.SchedulerSnapshot.NodeStates;
import dev.fermata.core.contract.SchedulerSnapshot.Progress;
import dev.fermata.core.contract.SchedulerSnapshot.Status;
import dev.fermata.core.contract.SchedulerSnapshot.Times;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Takes snapshots of the cluster state and rebuilds it from a snapshot and the records after it. Records are replayed, not
 * decisions: no policy runs and no order is issued. A record is valid even where the rules have changed since. Derived state comes
 * from the methods that wrote the records.
 */
final class Recovery {
    private final ClusterState cluster;
    private boolean liveJobsAreNew;

    Recovery(ClusterState cluster) {
        this.cluster = cluster;
    }

    SchedulerSnapshot snapshot() {
        List<TrackedJob> jobs = cluster.all();
        jobs.sort(Comparator.comparingLong(TrackedJob::id));
        List<JobSnapshot> jobSnapshots = new ArrayList<>(jobs.size());
        for (TrackedJob job : jobs) {
            jobSnapshots.add(snapshotOf(job));
        }
        return new SchedulerSnapshot(
                cluster.lastRecordMillis,
                jobSnapshots,
                nodeStates(),
                cluster.queueRules,
                cluster.topology,
                cluster.startFailures.snapshot(jobs));
    }

    private NodeStates nodeStates() {
        int nodes = cluster.topology.nodes().size();
        NodeConditions conditions = cluster.capacity.conditions;
        return new NodeStates(
                numbersOf(nodes, conditions::isNodeDown),
                numbersOf(cluster.topology.gpuCount(), conditions::isGpuDown),
                numbersOf(nodes, conditions::isDrained).stream()
                        .map(node -> new DrainedNode(node, conditions.drainNote(node)))
                        .toList(),
                numbersOf(nodes, conditions::isUnreachable),
                numbersOf(nodes, node -> !conditions.foreign(node).equals(ForeignLoad.NONE)).stream()
                        .map(node -> new ForeignNode(node, conditions.foreign(node)))
                        .toList());
    }

    private static List<Integer> numbersOf(int count, IntPredicate is) {
        return IntStream.range(0, count).filter(is).boxed().toList();
    }

    private static JobSnapshot snapshotOf(TrackedJob job) {
        return new JobSnapshot(
                job.job,
                new Status(job.state, job.attempt, job.preemptions, job.outOfMemory, job.cancelling, job.onHold),
                new Times(
                        job.submittedMillis, job.fifoKeyMillis, job.queuedMillis, job.startedMillis, job.runningMillis),
                new Progress(
                        job.attainedMillis,
                        job.attainedGpuMillis,
                        job.savedWorkMillis,
                        job.peakWorkMillis,
                        job.speedMicro,
                        job.speedSinceMillis,
                        job.attemptWorkMicro),
                Gpus.of(job.held),
                Gpus.of(job.reservation),
                lastDeclinedOf(job),
                SuspendedJobs.snapshotOf(job));
    }

    private static @Nullable LastDeclined lastDeclinedOf(TrackedJob job) {
        HistoryRecord.PreemptionDeclined last = job.lastDeclined;
        return last == null
                ? null
                : new LastDeclined(job.lastDeclinedMillis, last.victims(), last.gainMillis(), last.costMillis());
    }

    void restore(SchedulerSnapshot snapshot) {
        if (cluster.lastRecordMillis != 0
                || cluster.nowMillis != 0
                || cluster.pendingCount + cluster.runningCount > 0) {
            throw new IllegalStateException("only a fresh scheduler can restore a snapshot");
        }
        cluster.beginCycle(snapshot.lastRecordMillis());
        if (snapshot.topology() != null) {
            requireContinuation(snapshot.topology());
        }
        cluster.setQueueRules(snapshot.queueRules());
        NodeStates states = snapshot.nodes();
        states.down().forEach(node -> cluster.nodes.setDown(true, node, true));
        states.gpusDown().forEach(gpu -> cluster.nodes.setDown(false, gpu, true));
        states.drained().forEach(drained -> cluster.nodes.setDrained(drained.node(), drained.note()));
        states.unreachable().forEach(node -> cluster.nodes.setUnreachable(node, true));
        states.foreign().forEach(foreign -> cluster.nodes.setForeignLoad(foreign.node(), foreign.load()));
        for (JobSnapshot jobSnapshot : snapshot.jobs()) {
            restore(jobSnapshot);
        }
        cluster.startFailures.restore(snapshot.startFailures());
        discardChanges();
    }

    /**
     * The cluster of the history from here on. A scheduler may have been made for a later one, which has more: then that
     * one stays, and its numbers must mean the same GPUs.
     */
    private void changeCluster(Topology recorded) {
        if (recorded.continues(cluster.topology)) {
            cluster.nodes.changeTo(recorded);
        } else {
            requireContinuation(recorded);
        }
    }

    /** The state is rebuilt in the numbers of its own cluster, which must mean the same GPUs as those of the history. */
    private void requireContinuation(Topology recorded) {
        int other = cluster.topology.firstDifference(recorded);
        if (other >= 0) {
            boolean exists = other < cluster.topology.gpuCount();
            throw new IllegalArgumentException("the history names gpu " + other + " (" + recorded.gpuId(other)
                    + "); this cluster has "
                    + (exists ? cluster.topology.gpuId(other) + " under that number" : cluster.topology.gpuCount()));
        }
    }

    private void restore(JobSnapshot jobSnapshot) {
        TrackedJob job = addPending(jobSnapshot.job(), jobSnapshot.submittedMillis());
        Allocation held = jobSnapshot.held() == null ? null : jobSnapshot.held().toAllocation(cluster.topology);
        if (held == null && jobSnapshot.state() != JobState.PENDING) {
            throw new IllegalArgumentException(
                    "job " + jobSnapshot.job().id() + " is " + jobSnapshot.state() + " without GPUs");
        }
        if (held != null) {
            cluster.occupy(job, held);
            if (jobSnapshot.state() == JobState.PREEMPTING) {
                cluster.beginVacating(job);
            }
        }
        job.state = jobSnapshot.state();
        job.attempt = jobSnapshot.attempt();
        job.fifoKeyMillis = jobSnapshot.fifoKeyMillis();
        job.queuedMillis = jobSnapshot.queuedMillis();
        job.startedMillis = jobSnapshot.startedMillis();
        job.runningMillis = jobSnapshot.runningMillis();
        job.attainedMillis = jobSnapshot.attainedMillis();
        job.attainedGpuMillis = jobSnapshot.attainedGpuMillis();
        job.savedWorkMillis = jobSnapshot.savedWorkMillis();
        job.peakWorkMillis = jobSnapshot.peakWorkMillis();
        job.speedMicro = jobSnapshot.speedMicro();
        job.speedSinceMillis = jobSnapshot.speedSinceMillis();
        job.attemptWorkMicro = jobSnapshot.attemptWorkMicro();
        job.preemptions = jobSnapshot.preemptions();
        job.outOfMemory = jobSnapshot.outOfMemory();
        job.cancelling = jobSnapshot.cancelling();
        job.onHold = jobSnapshot.onHold();
        LastDeclined declined = jobSnapshot.lastDeclined();
        if (declined != null) {
            job.lastDeclined = new HistoryRecord.PreemptionDeclined(
                    job.id(), declined.victims(), declined.gainMillis(), declined.costMillis());
            job.lastDeclinedMillis = declined.atMillis();
        }
        cluster.suspended.restore(job, jobSnapshot.suspend());
        if (jobSnapshot.reservation() != null) {
            cluster.reserve(job, jobSnapshot.reservation().toAllocation(cluster.topology));
        }
    }

    void replay(long nowMillis, HistoryRecord historyRecord) {
        cluster.beginCycle(nowMillis);
        apply(historyRecord);
        discardChanges();
    }

    private void apply(HistoryRecord historyRecord) {
        switch (historyRecord.type()) {
            case SUBMITTED -> addPending(((HistoryRecord.Submitted) historyRecord).job(), cluster.nowMillis);
            case STARTED -> {
                HistoryRecord.Started r = (HistoryRecord.Started) historyRecord;
                TrackedJob job = live(r, JobState.PENDING, r.attempt() - 1);
                cluster.start(job, r.allocation());
            }
            case RUNNING -> {
                HistoryRecord.Running r = (HistoryRecord.Running) historyRecord;
                TrackedJob job = live(r, JobState.STARTING, r.attempt());
                cluster.markRunning(job, r.speedMicro());
                cluster.startFailures.succeed(job);
            }
            case SPEED_CHANGED -> {
                HistoryRecord.SpeedChanged r = (HistoryRecord.SpeedChanged) historyRecord;
                cluster.changeSpeed(live(r, JobState.RUNNING, r.attempt()), r.speedMicro());
            }
            case RESERVED -> {
                HistoryRecord.Reserved r = (HistoryRecord.Reserved) historyRecord;
                cluster.reserve(live(r), r.allocation());
            }
            case RESERVATION_RELEASED -> {
                TrackedJob job = cluster.find(
                        historyRecord.jobId()); // gone where its end, a fault or a drain released the reservation
                if (job != null) {
                    cluster.releaseReservation(job);
                }
            }
            case PREEMPTING -> {
                HistoryRecord.Preempting r = (HistoryRecord.Preempting) historyRecord;
                cluster.preempt(live(r, JobState.RUNNING, r.attempt()), r);
            }
            case PROFILED -> {
                HistoryRecord.Profiled r = (HistoryRecord.Profiled) historyRecord;
                cluster.endProfilingRun(live(r, JobState.RUNNING, r.attempt()));
            }
            case PREEMPTION_DECLINED ->
                cluster.declines.record(live(historyRecord), (HistoryRecord.PreemptionDeclined) historyRecord);
            case CANCELLING -> {
                HistoryRecord.Cancelling r = (HistoryRecord.Cancelling) historyRecord;
                cluster.beginCancel(liveOnGpus(r, r.attempt()));
            }
            case START_FAILED -> {
                HistoryRecord.StartFailed r = (HistoryRecord.StartFailed) historyRecord;
                cluster.startFailures.record(liveOnGpus(r, r.attempt()), r);
            }
            case SUSPEND_FAILED -> {
                HistoryRecord.SuspendFailed r = (HistoryRecord.SuspendFailed) historyRecord;
                cluster.suspended.fail(live(r, JobState.PREEMPTING, r.attempt()), r);
            }
            case SUSPENSION_ENDED -> {
                HistoryRecord.SuspensionEnded r = (HistoryRecord.SuspensionEnded) historyRecord;
                cluster.suspended.lose(live(r), r.savedWorkMillis(), r.cause());
            }
            case ATTEMPT_ENDED -> {
                HistoryRecord.AttemptEnded r = (HistoryRecord.AttemptEnded) historyRecord;
                cluster.endAttempt(liveOnGpus(r, r.attempt()), r.outcome(), r.usage(), r.next());
            }
            case JOB_ENDED -> {
                HistoryRecord.JobEnded r = (HistoryRecord.JobEnded) historyRecord;
                cluster.endPending(live(r), r.state());
            }
            case HELD -> cluster.setOnHold(live(historyRecord), true);
            case RELEASED -> cluster.setOnHold(live(historyRecord), false);
            case JOB_UPDATED -> {
                HistoryRecord.JobUpdated r = (HistoryRecord.JobUpdated) historyRecord;
                cluster.updateJob(live(r), r.job());
            }
            case QUEUES_SET -> cluster.setQueueRules(((HistoryRecord.QueuesSet) historyRecord).rules());
            case CAPACITY_CHANGED -> {
                HistoryRecord.CapacityChanged r = (HistoryRecord.CapacityChanged) historyRecord;
                cluster.nodes.setDown(r.isNode(), r.index(), !r.up());
            }
            case DRAIN_CHANGED -> {
                HistoryRecord.DrainChanged r = (HistoryRecord.DrainChanged) historyRecord;
                cluster.nodes.setDrained(r.node(), r.drained() ? r.note() : null);
            }
            case NODE_ADDED -> {
                HistoryRecord.NodeAdded r = (HistoryRecord.NodeAdded) historyRecord;
                cluster.nodes.add(r.node(), r.spec());
            }
            case NODE_REMOVED -> cluster.nodes.remove(((HistoryRecord.NodeRemoved) historyRecord).node());
            case NODE_CHANGED -> {
                HistoryRecord.NodeChanged r = (HistoryRecord.NodeChanged) historyRecord;
                cluster.nodes.change(r.node(), r.spec());
            }
            case REACHABILITY_CHANGED -> {
                HistoryRecord.ReachabilityChanged r = (HistoryRecord.ReachabilityChanged) historyRecord;
                cluster.nodes.setUnreachable(r.node(), !r.reachable());
            }
            case FOREIGN_LOAD_CHANGED -> {
                HistoryRecord.ForeignLoadChanged r = (HistoryRecord.ForeignLoadChanged) historyRecord;
                cluster.nodes.setForeignLoad(r.node(), r.load());
            }
            case CLUSTER_CHANGED -> changeCluster(((HistoryRecord.ClusterChanged) historyRecord).topology());
            case JOB_REJECTED, ACTION_REJECTED -> {} // changed nothing
        }
    }

    private TrackedJob addPending(Job job, long submittedMillis) {
        if (cluster.find(job.id()) != null) {
            throw new IllegalArgumentException("the history submits job " + job.id() + " while it is live");
        }
        return cluster.addPending(job, submittedMillis);
    }

    private TrackedJob live(HistoryRecord historyRecord) {
        TrackedJob job = cluster.find(historyRecord.jobId());
        return requireConsistent(historyRecord, job != null, job);
    }

    private TrackedJob live(HistoryRecord historyRecord, JobState state, int attempt) {
        TrackedJob job = cluster.find(historyRecord.jobId());
        return requireConsistent(historyRecord, job != null && job.state == state && job.attempt == attempt, job);
    }

    private TrackedJob liveOnGpus(HistoryRecord historyRecord, int attempt) {
        TrackedJob job = cluster.find(historyRecord.jobId());
        return requireConsistent(historyRecord, job != null && job.state.holdsGpus() && job.attempt == attempt, job);
    }

    private TrackedJob requireConsistent(HistoryRecord historyRecord, boolean fits, @Nullable TrackedJob job) {
        if (job == null || !fits) {
            throw new IllegalArgumentException("the history does not fit together at " + cluster.nowMillis + " ms: "
                    + historyRecord + ", but " + (job == null ? "there is no such live job" : "the job is " + job));
        }
        return job;
    }

    /** What was rebuilt is already known: its records and orders were issued before. */
    private void discardChanges() {
        cluster.discardChanges();
        liveJobsAreNew = true;
    }

    /** Before the first decision: the policy has seen none of the live jobs, so all of them are changes. */
    void markAllAsNew() {
        if (liveJobsAreNew) {
            liveJobsAreNew = false;
            cluster.markAllAsNew();
        }
    }
}
