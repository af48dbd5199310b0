package dev.fermata.sim.invariants;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Order;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.sim.invariants.CheckedJob.TrackedState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Tracks the cluster from events, records and orders alone, the slow and obvious way, and reports broken laws. It never
 * derives its state from the scheduler's; it only compares the two at the end of a cycle.
 */
final class InvariantChecker implements CheckedSimulation.CycleChecker {
    private final RandomScenario scenario;
    private final LawAssert laws;
    private final PolicyAllowances allowances;
    private final RecordChecker records;
    private final WorkConservationRule workConservation;
    private final ReservationChecker reservationChecker;

    InvariantChecker(RandomScenario scenario, String policy) {
        this.scenario = scenario;
        this.laws = new LawAssert(scenario, policy);
        this.allowances = PolicyAllowances.of(policy);
        this.records = new RecordChecker(scenario, allowances, laws);
        this.workConservation = new WorkConservationRule(scenario.topology(), allowances, laws);
        this.reservationChecker = new ReservationChecker(scenario, allowances, laws);
    }

    @Override
    public void checkCycle(long now, List<Event> events, Decision decision, Scheduler scheduler) {
        records.readCycle(now, events, decision.records());
        checkOrdersMatchRecords(decision);
        compareWithScheduler(now, scheduler);
        checkPendingReasons(now, scheduler);
        checkReservationsStart(now);
        reservationChecker.checkCycle(now, events, decision, scheduler);
        boolean hiddenReservations =
                records.hasQueues() && allowances.mixesGpuTypes(); // behind the pending reasons of queues
        if (!hiddenReservations) {
            workConservation.check(
                    now, records.liveJobs(), records::isUsable, scheduler, () -> events + " -> " + decision.records());
        }
    }

    /** How often each law was applied. */
    Map<String, Integer> applied() {
        return laws.applied();
    }

    void checkEnd() {
        for (CheckedJob job : records.jobs().values()) {
            laws.require(job.state == TrackedState.ENDED, "nothing is lost", job.job.name() + " ended as " + job.state);
        }
        laws.require(
                records.reservedFor().isEmpty(),
                "no eviction without a start",
                "open reservations " + records.reservedFor());
        for (var job : scenario.workload().jobs()) {
            laws.require(
                    records.jobs().containsKey(job.job().id()),
                    "nothing is lost",
                    job.job().name() + " was never seen");
        }
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
                recorded.add("preempt " + record.jobId() + "#" + records.jobs().get(record.jobId()).attempt);
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
        for (CheckedJob job : records.jobs().values()) {
            if (job.state != TrackedState.ENDED) {
                String state = job.state == TrackedState.LOADING ? "STARTING" : job.state.name();
                known.put(job.job.id(), state + "#" + job.attempt + job.preemptions);
            }
        }
        laws.require(seen.equals(known), "nothing is lost", "at " + now + ": scheduler " + seen + ", records " + known);
    }

    private void checkPendingReasons(long now, Scheduler scheduler) {
        for (CheckedJob job : records.liveJobs()) {
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

    private void checkReservationsStart(long now) {
        for (CheckedJob job : records.liveJobs()) {
            if (job.reservation != null
                    && job.state == TrackedState.PENDING
                    && !scenario.limitsHostsOf(job.reservation)) {
                boolean vacated = true;
                for (int gpu : job.reservation.toArray()) {
                    vacated &= records.isFree(gpu);
                }
                laws.require(
                        !vacated,
                        "a reservation starts when the last victim has left",
                        "at " + now + " " + job.job.name());
            }
        }
    }
}
