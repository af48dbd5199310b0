package dev.fermata.sim.kernel;

import dev.fermata.core.contract.Command;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.workload.TrueJob;
import dev.fermata.sim.workload.Workload;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns the ring in virtual time.
 *
 * <p>Time jumps to whatever is due next: an arrival, something in the engine, or the moment the policy asked to be woken
 * at. Everything due at one instant is learned together and decided on once; commands go to the engine, whose answers
 * (some at the same instant, when costs are zero) are the next turn. Arrivals come from the sorted workload and are
 * never all in the queue. The order of news at one instant is fixed: what the engine has to say, in the order its
 * timers were set, then arrivals by id, then what people ask for. Nothing here depends on chance, threads or the wall clock, so the same inputs give
 * the same history to the byte.
 */
public final class Simulation {
    /** Wakes in a row without any fact after which a policy is taken to be asking in vain. */
    private static final int MAX_IDLE_WAKES = 1_000_000;
    /** Turns at one instant after which a policy is taken to be undoing its own decisions. */
    private static final int MAX_TURNS_AT_ONCE = 100_000;

    /** Hears the history as it happens. */
    public interface Listener {
        void fact(long nowMillis, Fact fact);
    }

    /** What a run came to, beside its history. */
    public record Counts(long events, long decisions, long endMillis, int unfinished) {}

    private final Scheduler scheduler;
    private final SimulatedEngine engine;
    private final List<TrueJob> jobs;
    private final Listener listener;
    private final List<Workload.Request> requests;
    private final Aftermath aftermath;
    private long now;
    private long wake = Plan.NEVER;
    /** Later than this is nobody's concern; a world that is continued may also come to a rest before. */
    private long untilMillis = Plan.NEVER;

    private int nextArrival;
    private int nextRequest;
    private long events;
    private long decisions;

    public Simulation(Workload workload, Scheduler scheduler, SimulatedEngine engine, Listener listener) {
        this.jobs = workload.jobs();
        this.requests = workload.requests();
        this.aftermath = new Aftermath(jobs);
        this.scheduler = scheduler;
        this.engine = engine;
        this.listener = listener;
    }

    /**
     * Goes on from a live state: the scheduler has restored it and the engine has adopted its jobs. The first decision is at
     * {@code nowMillis}, the last no later than {@code untilMillis}; that nothing more happens, because those who wait are on
     * hold, is no failure.
     */
    public Simulation continuing(long nowMillis, long untilMillis) {
        this.now = nowMillis;
        this.wake = nowMillis;
        this.untilMillis = untilMillis;
        return this;
    }

    /** Runs until every job has ended, or until told to stop. */
    public Counts run(BooleanSupplier stop) {
        boolean continued = untilMillis != Plan.NEVER;
        int idle = 0;
        int atOnce = 0;
        while (hasWork() && !stop.getAsBoolean()) {
            long next =
                    Math.min(Math.min(nextArrivalMillis(), nextRequestMillis()), Math.min(engine.nextMillis(), wake));
            if (continued && next > untilMillis) {
                break;
            }
            if (next == Plan.NEVER) {
                throw stuck();
            }
            atOnce = next > now ? 0 : atOnce + 1;
            now = Math.max(now, next);
            Decision decision = turn();
            wake = decision.wakeAtMillis() <= now ? now + 1 : decision.wakeAtMillis();
            idle = decision.facts().isEmpty() ? idle + 1 : 0;
            if (idle > MAX_IDLE_WAKES || atOnce > MAX_TURNS_AT_ONCE) {
                throw stuck();
            }
        }
        return new Counts(events, decisions, now, scheduler.jobs().size() + jobs.size() - nextArrival);
    }

    /** One turn of the ring at this instant. */
    private Decision turn() {
        List<Event> news = engine.advance(now);
        while (nextArrivalMillis() <= now) {
            TrueJob job = jobs.get(nextArrival++);
            engine.arrive(job);
            news.add(new Event.Submitted(job.job()));
            if (aftermath.hopeless(job.job())) {
                news.add(new Event.CancelAsked(job.job().id()));
            }
        }
        while (nextRequestMillis() <= now) {
            news.add(requests.get(nextRequest++).event());
        }
        Decision decision = scheduler.step(now, news);
        events += news.size();
        decisions++;
        List<Command> commands = decision.commands();
        for (int i = 0; i < commands.size(); i++) {
            engine.submit(now, commands.get(i));
        }
        List<Fact> facts = decision.facts();
        for (int i = 0; i < facts.size(); i++) {
            Fact fact = facts.get(i);
            JobState end = end(fact);
            if (end != null) {
                engine.forget(fact.jobId());
                aftermath.ended(fact.jobId(), end);
            }
            listener.fact(now, fact);
        }
        return decision;
    }

    private static @Nullable JobState end(Fact fact) {
        if (fact instanceof Fact.Refused) {
            return JobState.UNSATISFIABLE;
        }
        if (fact instanceof Fact.Ended ended) {
            return ended.state();
        }
        return fact instanceof Fact.Left left && left.next().isFinal() ? left.next() : null;
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

    private IllegalStateException stuck() {
        JobView first = scheduler.jobs().stream()
                .filter(job -> job.state() == JobState.PENDING)
                .findFirst()
                .orElse(scheduler.jobs().get(0));
        return new IllegalStateException("at " + now / 1000 + " s the policy gets no further, with "
                + scheduler.view().pendingJobs() + " jobs waiting; first: "
                + first.job().name() + ", "
                + scheduler.explain(first.id()));
    }
}
