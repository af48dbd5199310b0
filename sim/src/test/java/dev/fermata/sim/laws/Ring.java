package dev.fermata.sim.laws;

import dev.fermata.core.contract.Command;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.estimate.Estimators;
import dev.fermata.sim.workload.Rng;
import dev.fermata.sim.workload.TrueJob;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Turns the ring over a world as the kernel does, with a witness who looks between the turns, with cancellations, and, if
 * wanted, with news that comes twice or too late, or with schedulers that die and are rebuilt.
 */
final class Ring {
    /** One line of a history. */
    record Line(long atMillis, Fact fact) {}

    /** Looks at each turn: what was told, what was decided. */
    interface Witness {
        Witness NONE = (now, news, decision, scheduler) -> {};

        void turn(long nowMillis, List<Event> news, Decision decision, Scheduler scheduler);
    }

    private static final int MOST_TURNS = 50_000;

    private final Witness witness;
    private final boolean lateNews;
    private final SimulatedEngine engine;
    private final World world;
    private final PolicySpec spec;
    private Scheduler scheduler;
    private final Deque<TrueJob> arrivals;
    private final TreeMap<Long, Long> cancels;
    private final Deque<World.Wish> wishes;
    private final List<Event> old = new ArrayList<>();
    private final Rng chance;
    private final List<Line> history = new ArrayList<>();

    Ring(World world, String policy, Witness witness, boolean lateNews) {
        this.witness = witness;
        this.lateNews = lateNews;
        this.world = world;
        spec = PolicySpec.parse(policy);
        engine = new SimulatedEngine(world.topology(), new Faults(world.topology(), world.faults(), world.seed()));
        scheduler = fresh();
        arrivals = new ArrayDeque<>(world.workload().jobs());
        cancels = new TreeMap<>(world.cancels());
        wishes = new ArrayDeque<>(world.wishes());
        chance = Rng.stream(world.seed(), 99);
    }

    /** A scheduler that has seen nothing yet. */
    private Scheduler fresh() {
        return new Scheduler(
                world.topology(),
                spec.create(),
                Estimators.parse(world.estimator()).create(engine, world.seed()),
                GuardMode.FULL,
                spec.memoryPromise(),
                spec.mixedGangs());
    }

    /** Makes a new scheduler of the one that just died; the policy and the estimator begin anew. */
    interface Revival {
        Revival NEVER = turn -> false;

        /** Whether the scheduler dies after this turn. */
        boolean dies(int turn);

        default void rebuild(Scheduler dying, Scheduler fresh) {
            fresh.restore(dying.image());
        }
    }

    List<Line> run() {
        return run(Revival.NEVER);
    }

    List<Line> run(Revival revival) {
        long now = 0;
        long wake = Plan.NEVER;
        for (int turns = 0; hasWork(); turns++) {
            long asked = Math.min(nextCancel(), nextWish());
            long next = Math.min(Math.min(nextArrival(), asked), Math.min(engine.nextMillis(), wake));
            if (next == Plan.NEVER || turns > MOST_TURNS) {
                throw new AssertionError("at " + now + " ms " + scheduler.view().pendingJobs()
                        + " jobs wait for ever, first: " + scheduler.jobs().get(0) + " "
                        + scheduler.explain(scheduler.jobs().get(0).id()));
            }
            now = Math.max(now, next);
            List<Event> news = news(now);
            Decision decision = scheduler.step(now, news);
            for (Command command : decision.commands()) {
                engine.submit(now, command);
            }
            for (Fact fact : decision.facts()) {
                history.add(new Line(now, fact));
            }
            witness.turn(now, news, decision, scheduler);
            wake = decision.wakeAtMillis() <= now ? now + 1 : decision.wakeAtMillis();
            Scheduler revived = revival.dies(turns) ? fresh() : null;
            if (revived != null) {
                revival.rebuild(scheduler, revived);
                scheduler = revived;
                wake = now + 1;
            }
        }
        return history;
    }

    private List<Event> news(long now) {
        List<Event> news = engine.advance(now);
        List<Event> over = news.stream().filter(Event.Left.class::isInstance).toList();
        while (nextArrival() <= now) {
            TrueJob job = arrivals.removeFirst();
            engine.arrive(job);
            news.add(new Event.Submitted(job.job()));
        }
        while (nextCancel() <= now) {
            news.add(new Event.CancelAsked(cancels.pollFirstEntry().getValue()));
        }
        while (nextWish() <= now) {
            news.add(wishes.removeFirst().event());
        }
        if (lateNews) {
            for (int i = chance.below(4); i > 0 && !old.isEmpty(); i--) {
                news.add(chance.below(news.size() + 1), old.get(chance.below(old.size())));
            }
        }
        for (Event event : over) {
            Event.Left left = (Event.Left) event;
            old.add(left);
            old.add(new Event.Running(left.jobId(), left.attempt(), 123_456));
            old.add(new Event.PaceChanged(left.jobId(), left.attempt(), 654_321));
        }
        return news;
    }

    private boolean hasWork() {
        return !arrivals.isEmpty()
                || scheduler.view().pendingJobs() > 0
                || scheduler.view().runningJobs() > 0;
    }

    private long nextArrival() {
        TrueJob next = arrivals.peekFirst();
        return next == null ? Plan.NEVER : next.submitMillis();
    }

    private long nextWish() {
        World.Wish next = wishes.peekFirst();
        return next == null ? Plan.NEVER : next.atMillis();
    }

    private long nextCancel() {
        Map.Entry<Long, Long> next = cancels.firstEntry();
        return next == null ? Plan.NEVER : next.getKey();
    }
}
