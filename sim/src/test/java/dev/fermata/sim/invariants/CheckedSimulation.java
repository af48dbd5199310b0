package dev.fermata.sim.invariants;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.Order;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.PreemptWay;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.engine.ModelError;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.engine.TrueModel;
import dev.fermata.sim.estimate.Estimators;
import dev.fermata.sim.workload.Rng;
import dev.fermata.sim.workload.SimulatedJob;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Runs a scenario as the kernel does, with a checker after every cycle and with cancellations. Optionally, events come
 * twice or late, starts fail, or schedulers die and are rebuilt.
 */
public final class CheckedSimulation {
    /** One entry of a history. */
    record CheckedRecord(long atMillis, HistoryRecord record) {}

    /** Checks each scheduling cycle: its events and its decision. */
    public interface CycleChecker {
        CycleChecker NONE = (now, events, decision, scheduler) -> {};

        void checkCycle(long nowMillis, List<Event> events, Decision decision, Scheduler scheduler);
    }

    private static final int MAX_CYCLES = 50_000;

    private final CycleChecker checker;
    private final boolean lateEvents;
    private final SimulatedEngine engine;
    private final RandomScenario scenario;
    private final PolicySpec policySpec;
    private Scheduler scheduler;
    private final Deque<SimulatedJob> arrivals;
    private final TreeMap<Long, Long> cancels;
    private final Deque<RandomScenario.ScenarioRequest> requests;
    private final List<Event> pastEvents = new ArrayList<>();
    private final Rng random;
    /** When each start that fails is reported, and what. */
    private final TreeMap<Long, Event.StartFailed> failedStarts = new TreeMap<>();

    private final @Nullable NodeChanges nodeChanges;
    private double failingShare;
    private double failingSuspends;
    /** Suspensions that fail, by when that is reported. */
    private final TreeMap<Long, List<Event>> failedSuspends = new TreeMap<>();
    /** The speed of each job as last recorded. */
    private final Map<Long, Long> speeds = new TreeMap<>();

    private final List<CheckedRecord> history = new ArrayList<>();

    public CheckedSimulation(RandomScenario scenario, String policy, CycleChecker checker, boolean lateEvents) {
        this(scenario, policy, checker, lateEvents, ModelError.NONE);
    }

    /** The same on a cluster about which the policy is wrong. */
    CheckedSimulation(
            RandomScenario scenario, String policy, CycleChecker checker, boolean lateEvents, ModelError error) {
        this.checker = checker;
        this.lateEvents = lateEvents;
        this.scenario = scenario;
        policySpec = PolicySpec.parse(policy);
        engine = new SimulatedEngine(
                scenario.topology(),
                new Faults(scenario.topology(), scenario.faults(), scenario.seed()),
                new TrueModel(scenario.topology(), error, scenario.seed()));
        nodeChanges = scenario.nodeChanges();
        scheduler = newScheduler();
        arrivals = new ArrayDeque<>(scenario.workload().jobs());
        cancels = new TreeMap<>(scenario.cancels());
        requests = new ArrayDeque<>(scenario.requests());
        random = Rng.stream(scenario.seed(), 99);
    }

    /** Some starts fail, often because of the first node of the attempt. */
    CheckedSimulation withFailingStarts(double share) {
        failingShare = share;
        return this;
    }

    /** Some attempts cannot be suspended, as the engine finds out a little later. */
    CheckedSimulation withFailingSuspends(double share) {
        failingSuspends = share;
        return this;
    }

    /** Whether the engine never hears of this order, because it cannot be carried out; the job goes on. */
    private boolean failsToSuspend(long now, Order order) {
        if (failingSuspends == 0
                || !(order instanceof Order.Preempt preempt)
                || preempt.way() != PreemptWay.SUSPEND
                || random.uniform() >= failingSuspends) {
            return false;
        }
        failedSuspends
                .computeIfAbsent(now + 1 + random.uniformInt(3_000), at -> new ArrayList<>())
                .add(new Event.SuspendFailed(
                        order.jobId(),
                        order.attempt(),
                        speeds.getOrDefault(order.jobId(), 1L),
                        "refused",
                        random.uniform() < 0.3));
        return true;
    }

    /** A scheduler that has seen nothing yet. */
    private Scheduler newScheduler() {
        return newScheduler(nodeChanges == null ? scenario.topology() : nodeChanges.beginning());
    }

    private Scheduler newScheduler(Topology topology) {
        return new Scheduler(
                topology,
                policySpec::create,
                Estimators.parse(scenario.estimator()).create(engine, scenario.seed()),
                GuardMode.FULL,
                policySpec.memoryGuard(),
                policySpec.mixedGangs());
    }

    /** Makes a new scheduler of the one that just died; the policy and the estimator start empty. */
    interface RestartRule {
        RestartRule NEVER = cycle -> false;

        /** Whether the scheduler dies after this cycle. */
        boolean crashesAfter(int cycle);

        default void recover(Scheduler crashed, Scheduler fresh) {
            fresh.restore(crashed.snapshot());
        }
    }

    public List<CheckedRecord> run() {
        return run(RestartRule.NEVER);
    }

    List<CheckedRecord> run(RestartRule restartRule) {
        long now = 0;
        long wake = Plan.NEVER;
        for (int cycles = 0; hasWork(); cycles++) {
            long requested = Math.min(nextCancel(), nextRequest());
            long next = Math.min(Math.min(nextArrival(), requested), Math.min(engine.nextMillis(), wake));
            next = failedStarts.isEmpty() ? next : Math.min(next, failedStarts.firstKey());
            next = failedSuspends.isEmpty() ? next : Math.min(next, failedSuspends.firstKey());
            next = nodeChanges == null ? next : Math.min(next, nodeChanges.nextMillis());
            if (next == Plan.NEVER || cycles > MAX_CYCLES) {
                throw new AssertionError("at " + now + " ms " + scheduler.view().pendingJobs()
                        + " jobs wait for ever, first: " + scheduler.jobs().get(0) + " "
                        + scheduler.explain(scheduler.jobs().get(0).id()));
            }
            now = Math.max(now, next);
            List<Event> events = eventsAt(now);
            Decision decision = scheduler.runCycle(now, events);
            for (Order order : decision.orders()) {
                if (!failsToStart(now, order) && !failsToSuspend(now, order)) {
                    engine.submit(now, order);
                }
            }
            for (HistoryRecord record : decision.records()) {
                history.add(new CheckedRecord(now, record));
                if (record instanceof HistoryRecord.Running running) {
                    speeds.put(running.jobId(), running.speedMicro());
                } else if (record instanceof HistoryRecord.SpeedChanged changed) {
                    speeds.put(changed.jobId(), changed.speedMicro());
                } else if (record instanceof HistoryRecord.NodeAdded added) {
                    engine.nodeAdded(now, added.node());
                }
            }
            checker.checkCycle(now, events, decision, scheduler);
            wake = decision.wakeAtMillis() <= now ? now + 1 : decision.wakeAtMillis();
            Scheduler restarted = restartRule.crashesAfter(cycles)
                    ? newScheduler(scheduler.view().topology())
                    : null;
            if (restarted != null) {
                restartRule.recover(scheduler, restarted);
                scheduler = restarted;
                wake = now + 1;
            }
        }
        return history;
    }

    /** Whether the engine never hears of this order, because it is for an attempt that cannot start. */
    private boolean failsToStart(long now, Order order) {
        if (failingShare == 0) {
            return false;
        }
        if (order instanceof Order.Start start) {
            if (random.uniform() >= failingShare) {
                return false;
            }
            long at = now + 1 + random.uniformInt(3_000);
            while (failedStarts.containsKey(at)) {
                at++;
            }
            int node = random.uniform() < 0.5 ? start.allocation().node(0) : -1;
            failedStarts.put(at, new Event.StartFailed(start.jobId(), start.attempt(), "refused", node));
            return true;
        }
        return failedStarts.values().stream()
                .anyMatch(failed -> failed.jobId() == order.jobId() && failed.attempt() == order.attempt());
    }

    private List<Event> eventsAt(long now) {
        List<Event> changes = nodeChanges == null
                ? List.of()
                : nodeChanges.advance(now, scheduler, node -> engine.loseNode(now, node));
        List<Event> events = engine.advance(now);
        events.addAll(0, changes);
        while (!failedStarts.isEmpty() && failedStarts.firstKey() <= now) {
            events.add(failedStarts.pollFirstEntry().getValue());
        }
        while (!failedSuspends.isEmpty() && failedSuspends.firstKey() <= now) {
            events.addAll(failedSuspends.pollFirstEntry().getValue());
        }
        List<Event> over =
                events.stream().filter(Event.AttemptEnded.class::isInstance).toList();
        while (nextArrival() <= now) {
            SimulatedJob job = arrivals.removeFirst();
            engine.addJob(job);
            events.add(new Event.Submitted(job.job()));
        }
        while (nextCancel() <= now) {
            events.add(new Event.CancelRequested(cancels.pollFirstEntry().getValue()));
        }
        while (nextRequest() <= now) {
            events.add(requests.removeFirst().event());
        }
        if (lateEvents) {
            for (int i = random.uniformInt(4); i > 0 && !pastEvents.isEmpty(); i--) {
                events.add(random.uniformInt(events.size() + 1), pastEvents.get(random.uniformInt(pastEvents.size())));
            }
        }
        for (Event event : over) {
            Event.AttemptEnded left = (Event.AttemptEnded) event;
            pastEvents.add(left);
            pastEvents.add(new Event.Running(left.jobId(), left.attempt(), 123_456));
            pastEvents.add(new Event.SpeedChanged(left.jobId(), left.attempt(), 654_321));
        }
        return events;
    }

    private boolean hasWork() {
        return !arrivals.isEmpty()
                || scheduler.view().pendingJobs() > 0
                || scheduler.view().runningJobs() > 0;
    }

    private long nextArrival() {
        SimulatedJob next = arrivals.peekFirst();
        return next == null ? Plan.NEVER : next.submitMillis();
    }

    private long nextRequest() {
        RandomScenario.ScenarioRequest next = requests.peekFirst();
        return next == null ? Plan.NEVER : next.atMillis();
    }

    private long nextCancel() {
        Map.Entry<Long, Long> next = cancels.firstEntry();
        return next == null ? Plan.NEVER : next.getKey();
    }
}
