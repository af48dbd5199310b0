package dev.fermata.sim.invariants;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Order;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.ReasonCode;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Topology;
import dev.fermata.core.scheduler.Scheduler;
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
 * Tracks the cluster from events, records and orders alone, the slow and obvious way, and reports broken laws. It never
 * derives its state from the scheduler's; it only compares the two at the end of a cycle.
 */
final class InvariantChecker implements CheckedSimulation.CycleChecker {
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
    private final WorkConservationRule workConservation;
    private final ReservationChecker reservationChecker;
    private final Set<String> preemptionsThisInstant = new HashSet<>();
    /** The job updates requested in this cycle. */
    private final List<Job> jobUpdates = new ArrayList<>();

    private long lastCycleMillis = -1;

    InvariantChecker(RandomScenario scenario, String policy) {
        this.scenario = scenario;
        this.topology = scenario.topology();
        this.laws = new LawAssert(scenario, policy);
        this.allowances = PolicyAllowances.of(policy);
        this.capacity = new CapacityRule(topology, jobs.values(), laws);
        this.minimalVictims = new MinimalVictimsRule(topology, allowances, laws);
        this.workConservation = new WorkConservationRule(topology, allowances, laws);
        this.reservationChecker = new ReservationChecker(scenario, allowances, laws);
        this.faults = FaultTracker.of(scenario);
        this.onGpu = new int[topology.gpuCount()];
        this.preemptingOnGpu = new int[topology.gpuCount()];
    }

    @Override
    public void checkCycle(long now, List<Event> events, Decision decision, Scheduler scheduler) {
        if (now != lastCycleMillis) {
            preemptionsThisInstant.clear();
            lastCycleMillis = now;
        }
        jobUpdates.clear();
        events.forEach(this::onEvent);
        preemptedFor.clear();
        decision.records().forEach(this::onRecord);
        checkOrdersMatchRecords(decision);
        compareWithScheduler(now, scheduler);
        checkPendingReasons(now, scheduler);
        checkReservationsStart(now);
        reservationChecker.checkCycle(now, events, decision, scheduler);
        boolean hiddenReservations =
                reclaim.hasQueues() && allowances.mixesGpuTypes(); // behind the pending reasons of queues
        if (!hiddenReservations) {
            workConservation.check(
                    now, liveJobs(), this::isUsable, scheduler, () -> events + " -> " + decision.records());
        }
    }

    /** How often each law was applied. */
    Map<String, Integer> applied() {
        return laws.applied();
    }

    void checkEnd() {
        for (CheckedJob job : jobs.values()) {
            laws.require(job.state == TrackedState.ENDED, "nothing is lost", job.job.name() + " ended as " + job.state);
        }
        laws.require(reservedFor.isEmpty(), "no eviction without a start", "open reservations " + reservedFor);
        for (var job : scenario.workload().jobs()) {
            laws.require(
                    jobs.containsKey(job.job().id()),
                    "nothing is lost",
                    job.job().name() + " was never seen");
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

    private void onRecord(HistoryRecord record) {
        String broken = faults.onRecord(record, lastCycleMillis);
        laws.require(broken == null, "exclusions follow from failed starts", () -> broken + ": " + record);
        switch (record.type()) {
            case SUBMITTED -> {
                HistoryRecord.Submitted submitted = (HistoryRecord.Submitted) record;
                laws.require(faults.isFeasible(submitted.job(), scenario), "no infeasible job is admitted", submitted);
                jobs.put(submitted.jobId(), new CheckedJob(submitted.job(), lastCycleMillis));
            }
            case JOB_REJECTED -> {
                HistoryRecord.JobRejected jobRejected = (HistoryRecord.JobRejected) record;
                boolean fits = faults.isFeasible(jobRejected.job(), scenario);
                laws.require(!fits, "only infeasible jobs are rejected", jobRejected);
                boolean reason = jobRejected.reason().code() == ReasonCode.UNSATISFIABLE;
                laws.require(reason, "a rejection has a reason", jobRejected);
                CheckedJob checkedJob = new CheckedJob(jobRejected.job(), lastCycleMillis);
                checkedJob.state = TrackedState.ENDED;
                jobs.put(jobRejected.jobId(), checkedJob);
            }
            case STARTED -> onStarted((HistoryRecord.Started) record);
            case RUNNING -> {
                HistoryRecord.Running running = (HistoryRecord.Running) record;
                CheckedJob job = current(running.jobId(), running.attempt());
                laws.require(job.state == TrackedState.LOADING, "an attempt starts running once", running);
                job.state = TrackedState.RUNNING;
                job.suspendedOn = null;
                job.runningMillis = lastCycleMillis;
            }
            case SPEED_CHANGED -> {
                HistoryRecord.SpeedChanged speedChanged = (HistoryRecord.SpeedChanged) record;
                CheckedJob job = current(speedChanged.jobId(), speedChanged.attempt());
                laws.require(job.state == TrackedState.RUNNING, "only a running job has a speed", speedChanged);
            }
            case JOB_UPDATED -> {
                HistoryRecord.JobUpdated jobUpdated = (HistoryRecord.JobUpdated) record;
                CheckedJob job = jobs.get(jobUpdated.jobId());
                boolean fits = faults.isFeasible(jobUpdated.job(), scenario);
                boolean free = job.state == TrackedState.PENDING && job.reservation == null && fits;
                int memory = (free ? job.job : jobUpdated.job()).demand().gpuMemoryMib();
                Demand now =
                        jobUpdated.job().demand().withGpuMemory(memory); // memory may become known while it is pending
                laws.require(now.equals(job.job.demand()), "the demand of a job never changes", jobUpdated);
                job.job = jobUpdated.job();
            }
            case HELD -> {
                HistoryRecord.Held held = (HistoryRecord.Held) record;
                laws.require(!jobs.get(held.jobId()).onHold, "a job on hold is not held again", held);
                jobs.get(held.jobId()).onHold = true;
            }
            case QUEUES_SET -> reclaim.set(((HistoryRecord.QueuesSet) record).rules());
            case RELEASED -> {
                HistoryRecord.Released released = (HistoryRecord.Released) record;
                laws.require(jobs.get(released.jobId()).onHold, "only a job on hold is released", released);
                jobs.get(released.jobId()).onHold = false;
            }
            case PREEMPTING -> onPreempting((HistoryRecord.Preempting) record);
            case PROFILED -> {
                HistoryRecord.Profiled profiled = (HistoryRecord.Profiled) record;
                CheckedJob job = current(profiled.jobId(), profiled.attempt());
                boolean runs = job.state == TrackedState.RUNNING;
                laws.require(runs, "only a running job is profiled", profiled + " is " + job.state);
                markPreempting(job);
            }
            case CANCELLING -> {
                HistoryRecord.Cancelling cancelling = (HistoryRecord.Cancelling) record;
                CheckedJob job = current(cancelling.jobId(), cancelling.attempt());
                laws.require(job.cancelled, "only a cancelled job is terminated", cancelling);
                markPreempting(job);
            }
            case RESERVED -> onReserved((HistoryRecord.Reserved) record);
            case RESERVATION_RELEASED -> {
                CheckedJob job = jobs.get(record.jobId());
                for (int gpu : job.reservation.toArray()) {
                    reservedFor.remove(gpu);
                }
                job.reservation = null;
            }
            case ATTEMPT_ENDED -> onAttemptEnded((HistoryRecord.AttemptEnded) record);
            case JOB_ENDED -> {
                HistoryRecord.JobEnded jobEnded = (HistoryRecord.JobEnded) record;
                CheckedJob job = jobs.get(jobEnded.jobId());
                boolean hasReason = job.cancelled || !job.job.dependencies().isEmpty();
                laws.require(
                        job.state == TrackedState.PENDING && hasReason,
                        "only cancelled jobs end in the queue",
                        jobEnded);
                job.state = TrackedState.ENDED;
            }
            case ACTION_REJECTED -> {
                HistoryRecord.ActionRejected actionRejected = (HistoryRecord.ActionRejected) record;
                boolean late = actionRejected.action().equals("JobUpdated")
                        && jobUpdates.stream().anyMatch(w -> w.id() == actionRejected.jobId() && mayBeRejected(w));
                laws.require(late, "the guard rejects nothing but late requests", actionRejected);
            }
            case SUSPEND_FAILED -> {
                CheckedJob job = current(record.jobId(), ((HistoryRecord.SuspendFailed) record).attempt());
                laws.require(job.state == TrackedState.PREEMPTING, "only a leaving job fails to be suspended", record);
                count(preemptingOnGpu, job.held, -1);
                job.state = TrackedState.RUNNING;
                job.preemptions--;
            }
            case SUSPENSION_ENDED -> jobs.get(record.jobId()).suspendedOn = null;
            case START_FAILED -> jobs.get(record.jobId()).failedStart = true;
            default -> {} // of nodes, and declined preemptions
        }
    }

    private boolean mayBeRejected(Job request) {
        CheckedJob job = jobs.get(request.id());
        boolean pending = job != null && job.state == TrackedState.PENDING && job.reservation == null;
        return job != null
                && job.state != TrackedState.ENDED
                && scenario.mayReject(job.job, request, pending, faults::isMissing);
    }

    private void onStarted(HistoryRecord.Started started) {
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
                    faults.isSchedulable(gpu, lastCycleMillis),
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
                        || lastCycleMillis - beneficiary.submittedMillis > MIN_OVERDUE_AGE_MILLIS);
    }

    private void onPreempting(HistoryRecord.Preempting preempting) {
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
        long ran = lastCycleMillis - job.runningMillis;
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

    private void onReserved(HistoryRecord.Reserved reserved) {
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
                    faults.isSchedulable(gpu, lastCycleMillis), "no GPU that is down or drained is reserved", reserved);
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

    private boolean isFree(int gpu) {
        return onGpu[gpu] == 0;
    }

    /** Free, in order and not reserved. */
    private boolean isUsable(int gpu) {
        return isFree(gpu) && faults.isSchedulable(gpu, lastCycleMillis) && !reservedFor.containsKey(gpu);
    }

    private boolean isUsableSoon(int gpu) {
        return isVacating(gpu) && faults.isSchedulable(gpu, lastCycleMillis) && !reservedFor.containsKey(gpu);
    }

    private boolean isVacating(int gpu) {
        return onGpu[gpu] == preemptingOnGpu[gpu];
    }

    private static void count(int[] counts, Allocation allocation, int change) {
        for (int i = 0; i < allocation.size(); i++) {
            counts[allocation.gpu(i)] += change;
        }
    }

    private void onAttemptEnded(HistoryRecord.AttemptEnded attemptEnded) {
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

    private CheckedJob current(long id, int attempt) {
        CheckedJob job = jobs.get(id);
        laws.require(
                job != null && job.attempt == attempt,
                "a late event never affects the next attempt",
                id + "#" + attempt);
        return job;
    }

    private void checkOrdersMatchRecords(Decision decision) {
        List<String> requested = new ArrayList<>();
        List<String> recorded = new ArrayList<>();
        for (Order order : decision.orders()) {
            switch (order.type()) {
                case START -> requested.add("start " + order.jobId() + "#" + order.attempt());
                case PREEMPT -> requested.add("preempt " + order.jobId() + "#" + order.attempt());
                case KILL -> {}
            }
        }
        for (HistoryRecord record : decision.records()) {
            if (record instanceof HistoryRecord.Started started) {
                recorded.add("start " + started.jobId() + "#" + started.attempt());
            } else if (record instanceof HistoryRecord.Profiled || record instanceof HistoryRecord.Preempting) {
                recorded.add("preempt " + record.jobId() + "#" + jobs.get(record.jobId()).attempt);
            }
        }
        laws.require(requested.equals(recorded), "records and orders agree", requested + " / " + recorded);
    }

    /** The scheduler's own view agrees with its records. */
    private void compareWithScheduler(long now, Scheduler scheduler) {
        Map<Long, String> seen = new TreeMap<>();
        for (JobView job : scheduler.jobs()) {
            seen.put(job.id(), job.state() + "#" + job.attempt() + job.preemptions());
        }
        Map<Long, String> known = new TreeMap<>();
        for (CheckedJob job : jobs.values()) {
            if (job.state != TrackedState.ENDED) {
                String state = job.state == TrackedState.LOADING ? "STARTING" : job.state.name();
                known.put(job.job.id(), state + "#" + job.attempt + job.preemptions);
            }
        }
        laws.require(seen.equals(known), "nothing is lost", "at " + now + ": scheduler " + seen + ", records " + known);
    }

    private void checkPendingReasons(long now, Scheduler scheduler) {
        for (CheckedJob job : liveJobs()) {
            PendingReason pendingReason = scheduler.explain(job.job.id());
            if (job.state != TrackedState.PENDING) {
                laws.require(
                        pendingReason == null,
                        "only pending jobs have a pending reason",
                        job.job.name() + " " + pendingReason);
                continue;
            }
            String broken = PendingReasonRule.violation(job.job.id(), job.reservation != null, now, pendingReason);
            laws.require(
                    broken == null,
                    "a pending job has a pending reason that agrees with it",
                    () -> broken + ", at " + now + ": " + job.job.name() + " " + pendingReason);
        }
    }

    private List<CheckedJob> liveJobs() {
        return jobs.values().stream().filter(j -> j.state != TrackedState.ENDED).toList();
    }

    private void checkReservationsStart(long now) {
        for (CheckedJob job : liveJobs()) {
            if (job.reservation != null
                    && job.state == TrackedState.PENDING
                    && !scenario.limitsHostsOf(job.reservation)) {
                boolean vacated = true;
                for (int gpu : job.reservation.toArray()) {
                    vacated &= isFree(gpu);
                }
                laws.require(
                        !vacated,
                        "a reservation starts when the last victim has left",
                        "at " + now + " " + job.job.name());
            }
        }
    }
}
