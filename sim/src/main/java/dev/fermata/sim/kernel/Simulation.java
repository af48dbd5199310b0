package dev.fermata.sim.kernel;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Order;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * The driver that runs scheduling cycles in virtual time.
 *
 * <p>Time jumps to what is due next: an arrival, an engine event, or the wake-up time that the policy requested. All
 * events of one instant go into one scheduling cycle. Orders go to the engine, whose answers (some at the same instant,
 * when costs are zero) belong to the next cycle. Arrivals come from the sorted workload and are never all in the queue.
 * The order of events at one instant is fixed: those of the engine in the order its timers were set, then arrivals by
 * id, then user requests. Nothing here depends on chance, threads or the wall clock, so the same inputs give the same
 * history to the byte.
 */
public final class Simulation {
    /** Consecutive cycles without any record after which the run fails for lack of progress. */
    private static final int MAX_IDLE_WAKES = 1_000_000;
    /** Cycles at one instant after which the policy is assumed to undo its own decisions. */
    private static final int MAX_CYCLES_PER_INSTANT = 100_000;

    /** Receives the history record by record. */
    public interface Listener {
        void onRecord(long nowMillis, HistoryRecord record);
    }

    /** Counts over a run. */
    public record SimulationCounts(long events, long decisions, long endMillis, int unfinished) {}

    private final Scheduler scheduler;
    private final SimulatedEngine engine;
    private final List<SimulatedJob> jobs;
    private final Listener listener;
    private final List<Workload.TimedRequest> requests;
    private final DependencyOutcomes dependencyOutcomes;
    private long nowMillis;
    private long wakeMillis = Plan.NEVER;
    /** The last instant to simulate. A resumed simulation may also come to rest before it. */
    private long untilMillis = Plan.NEVER;

    private int nextArrival;
    private int nextRequest;
    private long eventCount;
    private long decisionCount;

    public Simulation(Workload workload, Scheduler scheduler, SimulatedEngine engine, Listener listener) {
        this.jobs = workload.jobs();
        this.requests = workload.requests();
        this.dependencyOutcomes = new DependencyOutcomes(jobs);
        this.scheduler = scheduler;
        this.engine = engine;
        this.listener = listener;
    }

    /**
     * Resumes a live state: the scheduler has restored it and the engine has its jobs. The first decision is at
     * {@code nowMillis}, the last no later than {@code untilMillis}. It is no failure when nothing more happens because the
     * pending jobs are on hold.
     */
    public Simulation resumingAt(long nowMillis, long untilMillis) {
        this.nowMillis = nowMillis;
        this.wakeMillis = nowMillis;
        this.untilMillis = untilMillis;
        return this;
    }

    /** Runs until every job has ended, or until {@code stop} is true. */
    public SimulationCounts run(BooleanSupplier stop) {
        boolean resumed = untilMillis != Plan.NEVER;
        int idle = 0;
        int cyclesAtInstant = 0;
        while (hasWork() && !stop.getAsBoolean()) {
            long next = Math.min(
                    Math.min(nextArrivalMillis(), nextRequestMillis()), Math.min(engine.nextMillis(), wakeMillis));
            if (resumed && next > untilMillis) {
                break;
            }
            if (next == Plan.NEVER) {
                throw noProgress();
            }
            cyclesAtInstant = next > nowMillis ? 0 : cyclesAtInstant + 1;
            nowMillis = Math.max(nowMillis, next);
            Decision decision = runCycle();
            wakeMillis = decision.wakeAtMillis() <= nowMillis ? nowMillis + 1 : decision.wakeAtMillis();
            idle = decision.records().isEmpty() ? idle + 1 : 0;
            if (idle > MAX_IDLE_WAKES || cyclesAtInstant > MAX_CYCLES_PER_INSTANT) {
                throw noProgress();
            }
        }
        return new SimulationCounts(
                eventCount, decisionCount, nowMillis, scheduler.jobs().size() + jobs.size() - nextArrival);
    }

    /** One scheduling cycle at this instant. */
    private Decision runCycle() {
        List<Event> events = engine.advance(nowMillis);
        while (nextArrivalMillis() <= nowMillis) {
            SimulatedJob job = jobs.get(nextArrival++);
            engine.addJob(job);
            events.add(new Event.Submitted(job.job()));
            if (dependencyOutcomes.isUnsatisfiable(job.job())) {
                events.add(new Event.CancelRequested(job.job().id()));
            }
        }
        while (nextRequestMillis() <= nowMillis) {
            Event request = requests.get(nextRequest++).event();
            events.add(request);
            if (request instanceof Event.NodeRemoved removed) {
                engine.loseNode(nowMillis, removed.node());
            }
        }
        Decision decision = scheduler.runCycle(nowMillis, events);
        eventCount += events.size();
        decisionCount++;
        List<Order> orders = decision.orders();
        for (int i = 0; i < orders.size(); i++) {
            engine.submit(nowMillis, orders.get(i));
        }
        List<HistoryRecord> records = decision.records();
        for (int i = 0; i < records.size(); i++) {
            HistoryRecord record = records.get(i);
            JobState end = record.finalState();
            if (end != null) {
                engine.removeJob(record.jobId());
                dependencyOutcomes.recordEnd(record.jobId(), end);
            }
            if (record instanceof HistoryRecord.NodeAdded added) {
                engine.nodeAdded(nowMillis, added.node());
            }
            listener.onRecord(nowMillis, record);
        }
        scheduler.prepare();
        return decision;
    }

    private boolean hasWork() {
        return nextArrival < jobs.size()
                || scheduler.view().pendingJobs() > 0
                || scheduler.view().runningJobs() > 0;
    }

    private long nextArrivalMillis() {
        return nextArrival < jobs.size() ? jobs.get(nextArrival).submitMillis() : Plan.NEVER;
    }

    private long nextRequestMillis() {
        return nextRequest < requests.size() ? requests.get(nextRequest).atMillis() : Plan.NEVER;
    }

    private IllegalStateException noProgress() {
        JobView first = scheduler.jobs().stream()
                .filter(job -> job.state() == JobState.PENDING)
                .findFirst()
                .orElse(scheduler.jobs().get(0));
        int pending = scheduler.view().pendingJobs();
        return new IllegalStateException("at " + nowMillis / 1000 + " s the policy makes no progress, with "
                + pending + (pending == 1 ? " job" : " jobs") + " pending; first: "
                + first.job().name() + ", "
                + scheduler.explain(first.id()));
    }
}
