package dev.fermata.core.scheduler;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Order;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The only mutable state of the core: every live job and its GPUs.
 *
 * <p><b>How it changes.</b> Only here, for three reasons: {@link EventHandler} applies an event (of nodes, with {@link ClusterNodes}), {@link #commit} an action
 * that the guard let through, {@link Recovery} a history record. Every change appends its record (the history) and its orders
 * (for the engine) to the current cycle. Nothing else writes; policies get a {@link ClusterView} and a {@link Draft}, both of which
 * leave no trace.
 *
 * <p><b>Life of a job.</b> PENDING → STARTING (GPUs held, loading) → RUNNING → PREEMPTING (leaving, GPUs still held)
 * → PENDING again in the same transaction in which it leaves.
 *
 * <p><b>Reservations.</b> A preemption is one transaction: victims become PREEMPTING and the GPUs are reserved for the
 * beneficiary, which stays PENDING. No other job can get them. {@link #startReserved} issues the start in the cycle in
 * which the last victim has left, without a new decision. If hardware under a reservation fails or is drained the
 * reservation is released; if suitable GPUs become free first, the job starts there ({@link EarlyStart}).
 *
 * <p><b>Cost.</b> Every change costs its gang size plus a few index words; nothing here walks all jobs or all nodes.
 * Ended jobs are dropped at once (others keep the history), so a long run is as fast at its end
 * as at its beginning. {@link #changedJobs} lists the jobs touched since the last decision: policies that keep queues of
 * their own read that and nothing else.
 */
final class ClusterState {
    Topology topology;
    Capacity capacity;
    final Estimator estimator;
    final List<JobView> changedJobs = new ArrayList<>();
    Feasibility feasibility;
    final ClusterNodes nodes = new ClusterNodes(this);
    final StartFailures startFailures = new StartFailures(this);
    final DeclinedPreemptions declines = new DeclinedPreemptions(this);
    final SuspendedJobs suspended;
    private final LongMap<TrackedJob> jobs = new LongMap<>();
    private final ArrayDeque<Integer> freeSlots = new ArrayDeque<>();
    private final List<TrackedJob> endedJobs = new ArrayList<>();
    final GpuIndex gpuUse;
    /** Jobs with a reservation. */
    final Set<TrackedJob> reservedJobs = new LinkedHashSet<>();
    /** Jobs on GPUs that are leaving. */
    final Set<TrackedJob> vacatingJobs = new LinkedHashSet<>();

    private final List<TrackedJob> waitingForHostResources = new ArrayList<>();
    private final List<TrackedJob> maybeReady = new ArrayList<>();
    private int slots;
    int pendingCount;
    int runningCount;
    long capacityVersion;
    long nowMillis;
    /** When the last record was written. */
    long lastRecordMillis;

    List<QueueRule> queueRules = List.of();
    List<HistoryRecord> records = new ArrayList<>();
    List<Order> orders = new ArrayList<>();

    ClusterState(Topology topology, Estimator estimator) {
        this.topology = topology;
        this.estimator = estimator;
        this.capacity = new Capacity(topology);
        this.feasibility = new Feasibility(topology);
        this.gpuUse = new GpuIndex(topology, capacity.conditions);
        this.suspended = new SuspendedJobs(this);
    }

    /** Begins a cycle: time advances, records and orders are collected again. */
    void beginCycle(long now) {
        if (now < nowMillis) {
            throw new IllegalArgumentException("time went back from " + nowMillis + " to " + now);
        }
        nowMillis = now;
        records = new ArrayList<>();
        orders = new ArrayList<>();
    }

    /** Ends a cycle. */
    void endCycle() {
        lastRecordMillis = records.isEmpty() ? lastRecordMillis : nowMillis;
    }

    /** Passes changed jobs to the estimator before the policy decides. */
    void notifyEstimator() {
        for (int i = 0; i < changedJobs.size(); i++) {
            estimator.observe(changedJobs.get(i), nowMillis);
        }
    }

    /** Clears the list of changes after the policy has seen it, and frees the slots of ended jobs. */
    void clearChanges() {
        for (int i = 0; i < changedJobs.size(); i++) {
            ((TrackedJob) changedJobs.get(i)).changed = false;
        }
        changedJobs.clear();
        for (TrackedJob endedJob : endedJobs) {
            freeSlots.addLast(endedJob.slot);
        }
        endedJobs.clear();
    }

    /** Drops all pending changes: they are already known. */
    void discardChanges() {
        clearChanges();
        maybeReady.clear();
        lastRecordMillis = nowMillis;
    }

    /** The policy has not seen this job yet, and its reservation may be ready. */
    void markAsNew(TrackedJob job) {
        markChanged(job);
        maybeReady.add(job);
    }

    /** The policy has seen none of the live jobs. */
    void markAllAsNew() {
        List<TrackedJob> all = all();
        all.sort(Comparator.comparingLong(TrackedJob::submittedMillis).thenComparingLong(TrackedJob::id));
        all.forEach(this::markAsNew);
    }

    @Nullable
    TrackedJob find(long id) {
        return jobs.get(id);
    }

    List<TrackedJob> all() {
        List<TrackedJob> all = new ArrayList<>(jobs.size());
        jobs.forEach(all::add);
        return all;
    }

    /** Every live job, by id. */
    List<JobView> live() {
        List<JobView> live = new ArrayList<>(all());
        live.sort(Comparator.comparingLong(JobView::id));
        return live;
    }

    // ---- changes of jobs ----

    /** The job is pending from now on. */
    TrackedJob addPending(Job job, long submittedMillis) {
        int slot = freeSlots.isEmpty() ? slots++ : freeSlots.removeFirst();
        long eligible = job.demand().eligibleTypes(topology);
        int[] preference = feasibility.typesByPreference(job, eligible);
        TrackedJob submitted = new TrackedJob(job, slot, submittedMillis, eligible, preference);
        submitted.lacksNodes = feasibility.lacksNodes(submitted);
        jobs.put(job.id(), submitted);
        pendingCount++;
        records.add(new HistoryRecord.Submitted(job));
        markChanged(submitted);
        return submitted;
    }

    /** Replaces the job's description; its id stays, and its demand but for the GPU memory. */
    void updateJob(TrackedJob job, Job updated) {
        job.job = updated;
        job.eligibleTypes = updated.demand().eligibleTypes(topology);
        job.typesByPreference = feasibility.typesByPreference(updated, job.eligibleTypes);
        job.lacksNodes = feasibility.lacksNodes(job);
        records.add(new HistoryRecord.JobUpdated(updated));
        capacityVersion++; // its rank may be better, or it may be preemptible
        markChanged(job);
    }

    void markRunning(TrackedJob job, long speedMicro) {
        suspended.resumed(job);
        job.state = JobState.RUNNING;
        job.runningMillis = nowMillis;
        job.setSpeed(nowMillis, speedMicro);
        records.add(new HistoryRecord.Running(job.job.id(), job.attempt, speedMicro));
        markChanged(job);
    }

    void changeSpeed(TrackedJob job, long speedMicro) {
        job.setSpeed(nowMillis, speedMicro);
        records.add(new HistoryRecord.SpeedChanged(job.job.id(), job.attempt, speedMicro));
        markChanged(job);
    }

    void endAttempt(TrackedJob job, Outcome outcome, Usage usage, JobState next) {
        Allocation held = Objects.requireNonNull(job.held);
        job.closeRunningSpan(nowMillis);
        suspended.endAttempt(job, outcome, usage, next);
        int openings = capacity.availabilitySum();
        if (job.state == JobState.PREEMPTING) {
            capacity.releaseVacated(held, job.job.demand());
        } else {
            capacity.occupy(held, job.job.demand(), -1);
        }
        noteAppearedCapacity(openings, job, held);
        job.held = null;
        gpuUse.remove(job, held);
        vacatingJobs.remove(job);
        // Also estimated work: a job that ranked as old while it ran must not rank as new again.
        long estimated = job.estimatedDoneMillis(usage.loadMillis() + usage.runMillis());
        long proven = usage.savedWorkMillis() + job.workDuring(usage.lostMillis(), nowMillis);
        job.peakWorkMillis = Math.max(job.peakWorkMillis, Math.max(estimated, proven));
        job.setSpeed(nowMillis, 0);
        job.attemptWorkMicro = 0;
        job.savedWorkMillis = usage.savedWorkMillis();
        runningCount--;
        if (outcome == Outcome.OOM) {
            job.outOfMemory++;
            job.fifoKeyMillis = nowMillis; // back of the queue: it must not block the head with the same crash
        }
        records.add(new HistoryRecord.AttemptEnded(job.job.id(), job.attempt, outcome, usage, next));
        if (next == JobState.PENDING) {
            job.state = next;
            job.queuedMillis = nowMillis;
            pendingCount++;
            markChanged(job);
        } else {
            end(job, next);
        }
        for (int i = 0; i < held.size(); i++) {
            TrackedJob beneficiary = gpuUse.beneficiary(held.gpu(i));
            if (beneficiary != null) {
                maybeReady.add(beneficiary);
            }
        }
        if (job.reservation != null) {
            maybeReady.add(job);
        }
        maybeReady.addAll(waitingForHostResources);
    }

    /** Capacity appeared if more GPUs are open than before, or if CPU, RAM or shared memory became free. */
    private void noteAppearedCapacity(int before, TrackedJob left, Allocation held) {
        boolean host = left.job.demand().needsHostResources();
        if (capacity.availabilitySum() > before || host || held.shared()) {
            capacityVersion++;
        }
    }

    void endPending(TrackedJob job, JobState state) {
        pendingCount--;
        records.add(new HistoryRecord.JobEnded(job.job.id(), state));
        end(job, state);
    }

    void beginCancel(TrackedJob job) {
        job.cancelling = true;
        orders.add(new Order.Kill(job.job.id(), job.attempt));
        records.add(new HistoryRecord.Cancelling(job.job.id(), job.attempt));
        beginVacating(job);
        capacityVersion++;
    }

    void setOnHold(TrackedJob job, boolean onHold) {
        job.onHold = onHold;
        records.add(onHold ? new HistoryRecord.Held(job.job.id()) : new HistoryRecord.Released(job.job.id()));
        if (onHold) {
            releaseReservation(job); // a hold takes effect now, not after the victims have left
        }
        markChanged(job);
    }

    void setQueueRules(List<QueueRule> rules) {
        queueRules = rules;
        capacityVersion++; // the shares of queues have changed
        records.add(new HistoryRecord.QueuesSet(rules));
    }

    private void end(TrackedJob job, JobState state) {
        releaseReservation(job);
        suspended.end(job);
        job.state = state;
        jobs.remove(job.job.id());
        endedJobs.add(job);
        markChanged(job);
    }

    // ---- reservations ----

    void reserve(TrackedJob job, Allocation allocation) {
        capacity.reserve(allocation, job.job.demand(), 1);
        job.reservation = allocation;
        reservedJobs.add(job);
        gpuUse.reserve(allocation, job);
        records.add(new HistoryRecord.Reserved(job.job.id(), allocation));
        maybeReady.add(job);
        if (!capacity.hostsHaveRoom(allocation)) {
            waitingForHostResources.add(job);
        }
    }

    void releaseReservation(TrackedJob job) {
        if (job.reservation != null) {
            capacity.reserve(clearReservation(job), job.job.demand(), -1);
            maybeReady.addAll(waitingForHostResources); // the CPU and RAM it would have used is free for others
            capacityVersion++;
            records.add(new HistoryRecord.ReservationReleased(job.job.id()));
        }
    }

    /** CPU or RAM may be free for those that wait for it. */
    void recheckReserved() {
        maybeReady.addAll(waitingForHostResources);
    }

    private Allocation clearReservation(TrackedJob job) {
        Allocation reservation = Objects.requireNonNull(job.reservation);
        gpuUse.reserve(reservation, null);
        job.reservation = null;
        reservedJobs.remove(job);
        waitingForHostResources.remove(job);
        return reservation;
    }

    /** Starts every job whose reserved GPUs are vacated. */
    void startReserved() {
        if (maybeReady.isEmpty()) {
            return;
        }
        List<TrackedJob> candidates = new ArrayList<>(maybeReady);
        maybeReady.clear();
        for (TrackedJob job : candidates) {
            if (job.reservation != null && job.state == JobState.PENDING && capacity.isVacated(job.reservation)) {
                start(job, job.reservation);
            } else if (job.reservation != null
                    && !capacity.hostsHaveRoom(job.reservation)
                    && !waitingForHostResources.contains(job)) {
                waitingForHostResources.add(job); // its GPUs are empty, but CPU or RAM is still in use by others
            }
        }
    }

    // ---- decisions ----

    void commit(Action action) {
        switch (action.type()) {
            case START -> {
                Action.Start start = (Action.Start) action;
                if (start.abandons()) {
                    suspended.abandon(live(start.jobId()));
                }
                start(live(start.jobId()), start.allocation());
            }
            case PREEMPT -> {
                Action.Preempt preempt = (Action.Preempt) action;
                int openings = capacity.availabilitySum();
                for (int i = 0; i < preempt.victims().size(); i++) {
                    TrackedJob victim = live(preempt.victims().get(i));
                    preempt(victim, HistoryRecord.Preempting.of(preempt, i, victim.attempt));
                }
                TrackedJob job = live(preempt.jobId());
                reserve(job, preempt.allocation());
                markChanged(job);
                capacityVersion +=
                        capacity.availabilitySum() > openings ? 1 : 0; // the victims leave more than was needed
            }
            case MOVE -> {
                Action.Move move = (Action.Move) action;
                TrackedJob job = live(move.jobId());
                preempt(
                        job,
                        new HistoryRecord.Preempting(
                                job.id(), job.attempt, job.id(), move.gainMillis(), move.costMillis()));
                reserve(job, move.allocation());
                capacityVersion++;
            }
            case CANCEL -> endPending(live(action.jobId()), JobState.CANCELLED);
        }
    }

    private TrackedJob live(long id) {
        return Objects.requireNonNull(jobs.get(id));
    }

    /** The next attempt, on free GPUs or on its reservation. */
    void start(TrackedJob job, Allocation allocation) {
        boolean resumed = job.resumed();
        occupy(job, allocation);
        job.attempt++;
        job.process = job.suspension == null ? job.attempt : job.suspension.process();
        job.startedMillis = nowMillis;
        records.add(new HistoryRecord.Started(job.job.id(), job.attempt, allocation, resumed));
        orders.add(new Order.Start(job.job.id(), job.attempt, allocation, resumed, job.process));
        markChanged(job);
    }

    /** From now on the job has an attempt on these GPUs. */
    void occupy(TrackedJob job, Allocation allocation) {
        if (job.reservation == null) {
            capacity.occupy(allocation, job.job.demand(), 1);
        } else {
            capacity.claimReservation(clearReservation(job), job.job.demand());
        }
        job.state = JobState.STARTING;
        job.held = allocation;
        gpuUse.add(job, allocation);
        job.lastDeclined = null;
        pendingCount--;
        runningCount++;
    }

    /** From now on the job is leaving: no progress, never a victim, its GPUs soon free. */
    void beginVacating(TrackedJob job) {
        if (job.state != JobState.PREEMPTING) {
            job.closeRunningSpan(nowMillis);
            job.setSpeed(nowMillis, 0);
            job.state = JobState.PREEMPTING;
            capacity.vacate(Objects.requireNonNull(job.held), job.job.demand(), 1);
            vacatingJobs.add(job);
            markChanged(job);
        }
    }

    void preempt(TrackedJob job, HistoryRecord.Preempting preempting) {
        beginVacating(job);
        suspended.begin(job, preempting.way());
        job.preemptions++;
        records.add(preempting);
        long beneficiary = preempting.beneficiary();
        orders.add(new Order.Preempt(job.job.id(), job.attempt, job.job.graceMillis(), preempting.way(), beneficiary));
        markChanged(job);
    }

    /** Ends a profiling run, which counts as no preemption. */
    void endProfilingRun(TrackedJob job) {
        beginVacating(job);
        records.add(new HistoryRecord.Profiled(job.job.id(), job.attempt));
        orders.add(new Order.Preempt(job.job.id(), job.attempt, job.job.graceMillis()));
        capacityVersion++; // its GPUs are soon free
    }

    /** Suspended jobs hold less host memory: reserved jobs may start, and others may be suspended. */
    void memoryReleased() {
        maybeReady.addAll(waitingForHostResources);
        capacityVersion++;
    }

    void markChanged(TrackedJob job) {
        if (!job.changed) {
            job.changed = true;
            changedJobs.add(job);
        }
    }
}
