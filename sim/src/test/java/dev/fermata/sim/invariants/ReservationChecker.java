package dev.fermata.sim.invariants;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import dev.fermata.core.scheduler.Scheduler;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Detects reservations that are released without a reason, or kept although the job could start elsewhere. It uses
 * events and records alone.
 */
final class ReservationChecker implements CheckedSimulation.CycleChecker {
    private static final class ReservationHolder {
        Job job;
        boolean cancelled;
        boolean onHold;
        boolean preempting;
        Allocation held;
        Allocation reservation;

        boolean suspended;
        boolean failedStart;

        ReservationHolder(Job job) {
            this.job = job;
        }
    }

    private final RandomScenario scenario;
    private final Topology topology;
    private final LawAssert laws;
    private final Map<Long, ReservationHolder> jobs = new TreeMap<>();
    private final Set<Long> startsElsewhere = new HashSet<>();
    private final FaultTracker faults;
    private final boolean hurries;
    private boolean queueLimits;
    private long nowMillis;

    ReservationChecker(RandomScenario scenario, PolicyAllowances allowances, LawAssert laws) {
        this.scenario = scenario;
        this.topology = scenario.topology();
        this.laws = laws;
        this.hurries = allowances.hurries();
        this.faults = FaultTracker.of(scenario);
    }

    @Override
    public void checkCycle(long at, List<Event> events, Decision decision, Scheduler scheduler) {
        nowMillis = at;
        events.forEach(this::onEvent);
        decision.records().forEach(this::onRecord);
        require(
                startsElsewhere.isEmpty(),
                "a job that gives up its reservation starts elsewhere at once",
                "jobs " + startsElsewhere);
        jobs.values().forEach(this::checkNoFreeGpuInstead);
    }

    private void onEvent(Event event) {
        faults.onEvent(event);
        if (event instanceof Event.CancelRequested cancelRequested && jobs.get(cancelRequested.jobId()) != null) {
            jobs.get(cancelRequested.jobId()).cancelled = true;
        }
    }

    private void onRecord(HistoryRecord record) {
        faults.onRecord(record, nowMillis);
        if (record instanceof HistoryRecord.Submitted submitted) {
            jobs.put(record.jobId(), new ReservationHolder(submitted.job()));
        } else if (record instanceof HistoryRecord.QueuesSet queuesSet) {
            queueLimits = queuesSet.rules().stream().anyMatch(rule -> rule.limitGpus() != QueueRule.NO_LIMIT);
        } else if (jobs.containsKey(record.jobId())) {
            onJobRecord(jobs.get(record.jobId()), record);
        }
    }

    private void onJobRecord(ReservationHolder job, HistoryRecord record) {
        switch (record.type()) {
            case JOB_UPDATED -> job.job = ((HistoryRecord.JobUpdated) record).job();
            case HELD -> job.onHold = true;
            case RELEASED -> job.onHold = false;
            case STARTED -> {
                startsElsewhere.remove(record.jobId());
                job.held = ((HistoryRecord.Started) record).allocation();
                job.reservation = null;
            }
            case PREEMPTING, PROFILED, CANCELLING -> job.preempting = true;
            case SUSPEND_FAILED -> job.preempting = false;
            case ATTEMPT_ENDED -> {
                job.suspended = ((HistoryRecord.AttemptEnded) record).outcome() == Outcome.SUSPENDED
                        || (job.suspended && job.failedStart);
                job.failedStart = false;
                job.held = null;
                job.preempting = false;
                if (((HistoryRecord.AttemptEnded) record).next().isFinal()) {
                    jobs.remove(record.jobId());
                }
            }
            case JOB_ENDED -> jobs.remove(record.jobId());
            case RESERVED -> job.reservation = ((HistoryRecord.Reserved) record).allocation();
            case RESERVATION_RELEASED -> onReservationReleased(job, (HistoryRecord.ReservationReleased) record);
            case RUNNING, SUSPENSION_ENDED -> job.suspended = false;
            case START_FAILED -> job.failedStart = true;
            case SUBMITTED,
                    JOB_REJECTED,
                    SPEED_CHANGED,
                    QUEUES_SET,
                    PREEMPTION_DECLINED,
                    CAPACITY_CHANGED,
                    DRAIN_CHANGED,
                    NODE_ADDED,
                    NODE_REMOVED,
                    NODE_CHANGED,
                    REACHABILITY_CHANGED,
                    FOREIGN_LOAD_CHANGED,
                    CLUSTER_CHANGED,
                    ACTION_REJECTED -> {}
        }
    }

    private void onReservationReleased(ReservationHolder job, HistoryRecord.ReservationReleased record) {
        boolean broken = job.cancelled || job.onHold || job.held != null;
        for (int gpu : job.reservation.toArray()) {
            broken |= !faults.isSchedulable(gpu, nowMillis);
            broken |= jobs.values().stream() // a victim could not be suspended
                    .anyMatch(other -> other.held != null && !other.preempting && other.held.contains(gpu));
        }
        if (!broken) {
            require(
                    scenario.limitsHostsOf(job.reservation) || isBeingVacated(job.reservation),
                    "a reservation is released only by a fault, a drain, a cancel, a hold, or an earlier start",
                    record);
            startsElsewhere.add(record.jobId());
        }
        job.reservation = null;
    }

    /** Whether a preempted job is still on these GPUs. */
    private boolean isBeingVacated(Allocation reservation) {
        return jobs.values().stream().anyMatch(o -> o.held != null && o.preempting && overlap(o.held, reservation));
    }

    private static boolean overlap(Allocation a, Allocation b) {
        for (int gpu : a.toArray()) {
            if (b.contains(gpu)) {
                return true;
            }
        }
        return false;
    }

    /**
     * For jobs of one GPU, where any GPU of the type does as well, except for urgent trials that may decline the type.
     */
    private void checkNoFreeGpuInstead(ReservationHolder job) {
        boolean choosy = hurries && Long.bitCount(job.job.demand().eligibleTypes(topology)) > 1;
        if (queueLimits
                || job.suspended // it returns to its nodes
                || choosy
                || scenario.hostLimits()
                || job.held != null
                || job.reservation == null
                || job.reservation.size() > 1) {
            return;
        }
        int type = topology.typeOf(job.reservation.gpu(0));
        for (int gpu = 0; gpu < topology.gpuCount(); gpu++) {
            require(
                    topology.typeOf(gpu) != type || !faults.isSchedulable(gpu, nowMillis) || isTaken(gpu),
                    "no job waits for a GPU to be vacated while another is free",
                    job.job.name() + ", gpu " + gpu);
        }
    }

    private boolean isTaken(int gpu) {
        return jobs.values().stream()
                .anyMatch(o -> (o.held != null && o.held.contains(gpu))
                        || (o.reservation != null && o.reservation.contains(gpu)));
    }

    private void require(boolean holds, String law, Object evidence) {
        laws.require(holds, law, "at " + nowMillis + ": " + evidence);
    }
}
