package dev.fermata.sim.invariants;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.ReasonCode;
import dev.fermata.core.contract.RecordReader;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.invariants.CheckedJob.TrackedState;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Keeps books of jobs and GPUs from events and records, the slow and obvious way, and reports each record that breaks a law. Never
 * asks the scheduler.
 */
final class RecordChecker implements RecordReader {
    /** No job is overdue before it was submitted so long ago. */
    private static final long MIN_OVERDUE_AGE_MILLIS = 3_600_000;

    private final RandomScenario scenario;
    private final Topology topology;
    private final LawAssert laws;
    private final PolicyAllowances allowances;
    private final ReclaimRule reclaim = new ReclaimRule();
    private final Map<Long, CheckedJob> jobs = new TreeMap<>();
    private final Map<Long, List<MinimalVictimsRule.Victim>> preemptedFor = new HashMap<>();
    private final FaultTracker faults;
    private final int[] onGpu;
    private final int[] preemptingOnGpu;
    private final Map<Integer, Long> reservedFor = new HashMap<>();
    private final CapacityRule capacity;
    private final MinimalVictimsRule minimalVictims;
    private final Set<String> preemptionsThisInstant = new HashSet<>();
    /** The job updates requested in this cycle. */
    private final List<Job> jobUpdates = new ArrayList<>();

    private long cycleMillis = -1;

    RecordChecker(RandomScenario scenario, PolicyAllowances allowances, LawAssert laws) {
        this.scenario = scenario;
        this.topology = scenario.topology();
        this.laws = laws;
        this.allowances = allowances;
        this.capacity = new CapacityRule(topology, jobs.values(), laws);
        this.minimalVictims = new MinimalVictimsRule(topology, allowances, laws);
        this.faults = FaultTracker.of(scenario);
        this.onGpu = new int[topology.gpuCount()];
        this.preemptingOnGpu = new int[topology.gpuCount()];
    }

    void readCycle(long now, List<Event> events, List<HistoryRecord> records) {
        if (now != cycleMillis) {
            preemptionsThisInstant.clear();
            cycleMillis = now;
        }
        jobUpdates.clear();
        events.forEach(this::onEvent);
        preemptedFor.clear();
        for (HistoryRecord record : records) {
            String broken = faults.onRecord(record, now);
            laws.require(broken == null, "exclusions follow from failed starts", () -> broken + ": " + record);
            read(now, record);
        }
    }

    private void onEvent(Event event) {
        faults.onEvent(event);
        if (event instanceof Event.CancelRequested cancelRequested && jobs.get(cancelRequested.jobId()) != null) {
            jobs.get(cancelRequested.jobId()).cancelled = true;
        } else if (event instanceof Event.JobUpdated jobUpdated) {
            jobUpdates.add(jobUpdated.job());
        }
    }

    /** Every job that it has read of, by id. */
    Map<Long, CheckedJob> jobs() {
        return jobs;
    }

    List<CheckedJob> liveJobs() {
        return jobs.values().stream()
                .filter(job -> job.state != TrackedState.ENDED)
                .toList();
    }

    /** Whose reservation each GPU is part of. */
    Map<Integer, Long> reservedFor() {
        return reservedFor;
    }

    boolean hasQueues() {
        return reclaim.hasQueues();
    }

    @Override
    public void submitted(long nowMillis, HistoryRecord.Submitted submitted) {
        laws.require(faults.isFeasible(submitted.job(), scenario), "no infeasible job is admitted", submitted);
        jobs.put(submitted.jobId(), new CheckedJob(submitted.job(), cycleMillis));
    }

    @Override
    public void jobRejected(long nowMillis, HistoryRecord.JobRejected jobRejected) {
        boolean fits = faults.isFeasible(jobRejected.job(), scenario);
        laws.require(!fits, "only infeasible jobs are rejected", jobRejected);
        boolean reason = jobRejected.reason().code() == ReasonCode.UNSATISFIABLE;
        laws.require(reason, "a rejection has a reason", jobRejected);
        CheckedJob checkedJob = new CheckedJob(jobRejected.job(), cycleMillis);
        checkedJob.state = TrackedState.ENDED;
        jobs.put(jobRejected.jobId(), checkedJob);
    }

    @Override
    public void running(long nowMillis, HistoryRecord.Running running) {
        CheckedJob job = current(running.jobId(), running.attempt());
        laws.require(job.state == TrackedState.LOADING, "an attempt starts running once", running);
        job.state = TrackedState.RUNNING;
        job.suspendedOn = null;
        job.runningMillis = cycleMillis;
    }

    @Override
    public void speedChanged(long nowMillis, HistoryRecord.SpeedChanged speedChanged) {
        CheckedJob job = current(speedChanged.jobId(), speedChanged.attempt());
        laws.require(job.state == TrackedState.RUNNING, "only a running job has a speed", speedChanged);
    }

    @Override
    public void jobUpdated(long nowMillis, HistoryRecord.JobUpdated jobUpdated) {
        CheckedJob job = jobs.get(jobUpdated.jobId());
        boolean fits = faults.isFeasible(jobUpdated.job(), scenario);
        boolean free = job.state == TrackedState.PENDING && job.reservation == null && fits;
        int memory = (free ? job.job : jobUpdated.job()).demand().gpuMemoryMib();
        Demand now = jobUpdated.job().demand().withGpuMemory(memory); // memory may become known while it is pending
        laws.require(now.equals(job.job.demand()), "the demand of a job never changes", jobUpdated);
        job.job = jobUpdated.job();
    }

    @Override
    public void held(long nowMillis, HistoryRecord.Held held) {
        laws.require(!jobs.get(held.jobId()).onHold, "a job on hold is not held again", held);
        jobs.get(held.jobId()).onHold = true;
    }

    @Override
    public void released(long nowMillis, HistoryRecord.Released released) {
        laws.require(jobs.get(released.jobId()).onHold, "only a job on hold is released", released);
        jobs.get(released.jobId()).onHold = false;
    }

    @Override
    public void profiled(long nowMillis, HistoryRecord.Profiled profiled) {
        CheckedJob job = current(profiled.jobId(), profiled.attempt());
        boolean runs = job.state == TrackedState.RUNNING;
        laws.require(runs, "only a running job is profiled", profiled + " is " + job.state);
        markPreempting(job);
    }

    @Override
    public void cancelling(long nowMillis, HistoryRecord.Cancelling cancelling) {
        CheckedJob job = current(cancelling.jobId(), cancelling.attempt());
        laws.require(job.cancelled, "only a cancelled job is terminated", cancelling);
        markPreempting(job);
    }

    @Override
    public void reservationReleased(long nowMillis, HistoryRecord.ReservationReleased record) {
        CheckedJob job = jobs.get(record.jobId());
        for (int gpu : job.reservation.toArray()) {
            reservedFor.remove(gpu);
        }
        job.reservation = null;
    }

    @Override
    public void jobEnded(long nowMillis, HistoryRecord.JobEnded jobEnded) {
        CheckedJob job = jobs.get(jobEnded.jobId());
        boolean hasReason = job.cancelled || !job.job.dependencies().isEmpty();
        laws.require(job.state == TrackedState.PENDING && hasReason, "only cancelled jobs end in the queue", jobEnded);
        job.state = TrackedState.ENDED;
    }

    @Override
    public void actionRejected(long nowMillis, HistoryRecord.ActionRejected actionRejected) {
        boolean late = actionRejected.action().equals("JobUpdated")
                && jobUpdates.stream().anyMatch(w -> w.id() == actionRejected.jobId() && mayBeRejected(w));
        laws.require(late, "the guard rejects nothing but late requests", actionRejected);
    }

    @Override
    public void suspendFailed(long nowMillis, HistoryRecord.SuspendFailed record) {
        CheckedJob job = current(record.jobId(), record.attempt());
        laws.require(job.state == TrackedState.PREEMPTING, "only a leaving job fails to be suspended", record);
        count(preemptingOnGpu, job.held, -1);
        job.state = TrackedState.RUNNING;
        job.preemptions--;
    }

    @Override
    public void started(long nowMillis, HistoryRecord.Started started) {
        CheckedJob job = jobs.get(started.jobId());
        Allocation allocation = started.allocation();
        Demand demand = job.job.demand();
        laws.require(
                job.state == TrackedState.PENDING && started.attempt() == job.attempt + 1,
                "at most one live attempt",
                started);
        laws.require(!job.onHold, "a job on hold is not started", started);
        laws.require(
                allocation.size() >= demand.minGpus() && allocation.size() <= demand.maxGpus(),
                "gang: all or none",
                started);
        if (job.reservation != null) {
            laws.require(allocation.equals(job.reservation), "a beneficiary starts on its reserved GPUs", started);
            for (int gpu : allocation.toArray()) {
                reservedFor.remove(gpu);
            }
            job.reservation = null;
        }
        int first = topology.typeOf(allocation.gpu(0));
        for (int gpu : allocation.toArray()) {
            int type = topology.typeOf(gpu);
            laws.require((demand.eligibleTypes(topology) >> type & 1) != 0, "only on types it may run on", started);
            laws.require(type == first || allowances.mixesGpuTypes(), "a gang gets GPUs of one type", started);
            laws.require(type == first || demand.splitsBatch(), "several types only to a job that splits", started);
            laws.require(
                    faults.isSchedulable(gpu, cycleMillis),
                    "no job starts on a GPU that is down, drained or excluded",
                    started);
            laws.require(
                    !reservedFor.containsKey(gpu), "reserved GPUs go to no other job", started + " " + reservedFor);
        }
        job.state = TrackedState.LOADING;
        job.attempt = started.attempt();
        job.held = allocation;
        count(onGpu, allocation, 1);
        for (int gpu : allocation.toArray()) {
            capacity.checkGpuCapacity(gpu, started);
        }
        for (int k = 0; k < allocation.nodeCount(); k++) {
            capacity.checkHostCapacity(topology.node(allocation.node(k)), started);
        }
    }

    /** The waiting of a trial, and of an overdue job, may count more than what is stated ({@link CostBenefitChecker}). */
    private boolean mayCountMore(HistoryRecord.Preempting preempting) {
        CheckedJob beneficiary = jobs.get(preempting.beneficiary());
        return allowances.hurries()
                && preempting.beneficiary() != preempting.jobId()
                && (beneficiary.job.jobClass() == JobClass.TRIAL
                        || cycleMillis - beneficiary.submittedMillis > MIN_OVERDUE_AGE_MILLIS);
    }

    @Override
    public void preempting(long nowMillis, HistoryRecord.Preempting preempting) {
        CheckedJob job = current(preempting.jobId(), preempting.attempt());
        laws.require(
                job.state == TrackedState.RUNNING,
                "no job is preempted while loading",
                preempting + " is " + job.state);
        job.preemptions++;
        laws.require(
                job.preemptions <= job.job.maxPreemptions()
                        || reclaim.mayTake(jobs.get(preempting.beneficiary()).job, job.job),
                "no job is preempted beyond its budget but for what is guaranteed",
                preempting);
        long ran = cycleMillis - job.runningMillis;
        laws.require(
                ran >= job.job.minRuntimeMillis(),
                "no job is preempted before its minimum run time",
                preempting + " after " + ran);
        boolean owedToGuarantee =
                reclaim.hasGuarantees() && preempting.gainMillis() == 0 && preempting.costMillis() == 0;
        if (allowances.weighsCostAndBenefit() && !owedToGuarantee && !mayCountMore(preempting)) {
            laws.require(
                    preempting.gainMillis() > preempting.costMillis(),
                    "no job is preempted unless it pays or a guarantee requires it",
                    preempting);
        }
        if (preempting.beneficiary() != preempting.jobId()) {
            laws.require(
                    !preemptionsThisInstant.contains(preempting.jobId() + ">" + preempting.beneficiary()),
                    "no job preempts right back",
                    preempting);
            preemptionsThisInstant.add(preempting.beneficiary() + ">" + preempting.jobId());
        }
        preemptedFor
                .computeIfAbsent(preempting.beneficiary(), b -> new ArrayList<>())
                .add(new MinimalVictimsRule.Victim(preempting.jobId(), job.held));
        markPreempting(job);
    }

    private void markPreempting(CheckedJob job) {
        count(preemptingOnGpu, job.held, job.state == TrackedState.PREEMPTING ? 0 : 1);
        job.state = TrackedState.PREEMPTING;
    }

    @Override
    public void reserved(long nowMillis, HistoryRecord.Reserved reserved) {
        CheckedJob job = jobs.get(reserved.jobId());
        List<MinimalVictimsRule.Victim> victims = preemptedFor.getOrDefault(reserved.jobId(), List.of());
        boolean moves = job.state == TrackedState.PREEMPTING;
        laws.require(moves || job.state == TrackedState.PENDING, "only pending jobs reserve GPUs", reserved);
        laws.require(job.reservation == null, "one reservation at a time", reserved);
        minimalVictims.check(job, reserved, victims, this::isUsable, this::isUsableSoon);
        job.reservation = reserved.allocation();
        Demand demand = job.job.demand();
        laws.require(
                job.reservation.size() >= demand.minGpus() && job.reservation.size() <= demand.maxGpus(),
                "a reservation is as large as the job may be",
                reserved);
        for (int gpu : reserved.allocation().toArray()) {
            laws.require(
                    faults.isSchedulable(gpu, cycleMillis), "no GPU that is down or drained is reserved", reserved);
            laws.require(reservedFor.put(gpu, reserved.jobId()) == null, "no GPU is reserved twice", reserved);
            for (CheckedJob other : jobs.values()) {
                boolean stays =
                        other.held != null && other.held.contains(gpu) && other.state != TrackedState.PREEMPTING;
                laws.require(
                        !stays,
                        "reserved GPUs are free or being vacated",
                        reserved + " but " + other.job.name() + " stays");
            }
        }
        for (MinimalVictimsRule.Victim victim : victims) {
            boolean frees = false;
            for (int gpu : victim.held().toArray()) {
                frees |= reserved.allocation().contains(gpu)
                        || (scenario.hostLimits() && reserved.allocation().gpusOnNode(topology.nodeOf(gpu)) > 0);
            }
            laws.require(frees || moves, "a victim frees what the beneficiary starts on", reserved + " " + victim);
        }
    }

    @Override
    public void attemptEnded(long nowMillis, HistoryRecord.AttemptEnded attemptEnded) {
        CheckedJob job = current(attemptEnded.jobId(), attemptEnded.attempt());
        laws.require(job.held != null, "only an attempt on GPUs ends", attemptEnded);
        laws.require(
                attemptEnded.outcome() != Outcome.OOM, "with the memory guard no job runs out of memory", attemptEnded);
        boolean back =
                EnumSet.of(Outcome.PREEMPTED, Outcome.SUSPENDED, Outcome.LOST).contains(attemptEnded.outcome())
                        && !job.cancelled;
        laws.require(
                !back || attemptEnded.next() == JobState.PENDING,
                "a preempted job is back in the queue at once",
                attemptEnded);
        laws.require(back || attemptEnded.next().isFinal(), "an ended job stays ended", attemptEnded);
        count(onGpu, job.held, -1);
        count(preemptingOnGpu, job.held, job.state == TrackedState.PREEMPTING ? -1 : 0);
        Allocation leftGpus = job.held;
        job.held = null;
        boolean stillSuspended = job.failedStart && !attemptEnded.next().isFinal();
        job.suspendedOn =
                attemptEnded.outcome() == Outcome.SUSPENDED ? leftGpus : stillSuspended ? job.suspendedOn : null;
        job.failedStart = false;
        job.state = attemptEnded.next().isFinal() ? TrackedState.ENDED : TrackedState.PENDING;
    }

    @Override
    public void queuesSet(long nowMillis, HistoryRecord.QueuesSet record) {
        reclaim.set(record.rules());
    }

    @Override
    public void startFailed(long nowMillis, HistoryRecord.StartFailed record) {
        jobs.get(record.jobId()).failedStart = true;
    }

    @Override
    public void suspensionEnded(long nowMillis, HistoryRecord.SuspensionEnded record) {
        jobs.get(record.jobId()).suspendedOn = null;
    }

    // of nodes and GPUs: FaultTracker reads them

    @Override
    public void capacityChanged(long nowMillis, HistoryRecord.CapacityChanged record) {}

    @Override
    public void drainChanged(long nowMillis, HistoryRecord.DrainChanged record) {}

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

    @Override
    public void clusterChanged(long nowMillis, HistoryRecord.ClusterChanged record) {}

    /** {@link DeclinedPreemptionsTest} reads these. */
    @Override
    public void preemptionDeclined(long nowMillis, HistoryRecord.PreemptionDeclined record) {}

    private boolean mayBeRejected(Job request) {
        CheckedJob job = jobs.get(request.id());
        boolean pending = job != null && job.state == TrackedState.PENDING && job.reservation == null;
        return job != null
                && job.state != TrackedState.ENDED
                && scenario.mayReject(job.job, request, pending, faults::isMissing);
    }

    boolean isFree(int gpu) {
        return onGpu[gpu] == 0;
    }

    /** Free, in order and not reserved. */
    boolean isUsable(int gpu) {
        return isFree(gpu) && faults.isSchedulable(gpu, cycleMillis) && !reservedFor.containsKey(gpu);
    }

    boolean isUsableSoon(int gpu) {
        return isVacating(gpu) && faults.isSchedulable(gpu, cycleMillis) && !reservedFor.containsKey(gpu);
    }

    boolean isVacating(int gpu) {
        return onGpu[gpu] == preemptingOnGpu[gpu];
    }

    private static void count(int[] counts, Allocation allocation, int change) {
        for (int i = 0; i < allocation.size(); i++) {
            counts[allocation.gpu(i)] += change;
        }
    }

    private CheckedJob current(long id, int attempt) {
        CheckedJob job = jobs.get(id);
        laws.require(
                job != null && job.attempt == attempt,
                "a late event never affects the next attempt",
                id + "#" + attempt);
        return job;
    }
}
