package dev.fermata.app.bench;

import dev.fermata.core.contract.Command;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.estimate.Estimators;
import dev.fermata.sim.workload.TrueJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * How long one step of the scheduler takes on a full cluster with many jobs waiting. Long batch jobs fill the GPUs and the
 * queue; then trial and batch jobs arrive one by one as others end, and every step is timed.
 */
public final class DecisionLatency {
    /** What a step came to. A preemptive policy weighs pauses in every step that finds no room. */
    public enum Kind {
        /** Jobs were started on free GPUs and nobody was paused. */
        STARTED,
        /** Jobs were paused, or GPUs being vacated were promised. */
        PREEMPTED,
        /** News came and nothing could be done with it. */
        NOTHING
    }

    private static final int CHUNK = 500;
    private static final long SETTLE_MILLIS = 300_000;

    private final Scheduler scheduler;
    private final SimulatedEngine engine;
    private final ArrayDeque<TrueJob> fillers = new ArrayDeque<>();
    private final ArrayDeque<TrueJob> arrivals = new ArrayDeque<>();
    private final Map<Kind, Latencies> latencies = new EnumMap<>(Kind.class);
    private long now;
    private long wake = Long.MAX_VALUE;

    public DecisionLatency(Topology topology, Workload jobs, PolicySpec policy, long seed) {
        engine = new SimulatedEngine(topology, Faults.none(topology));
        scheduler = new Scheduler(
                topology,
                policy.create(),
                Estimators.parse("oracle").create(engine, seed),
                GuardMode.PLAN,
                policy.memoryPromise(),
                policy.mixedGangs());
        scheduler.step(0, jobs.requests().stream().map(Workload.Request::event).toList());
        for (TrueJob job : jobs.jobs()) {
            (job.job().jobClass() == JobClass.BATCH ? fillers : arrivals).add(job);
        }
        for (Kind kind : Kind.values()) {
            latencies.put(kind, new Latencies());
        }
    }

    public Map<Kind, Latencies> measure(int pending, int steps, BooleanSupplier stop) {
        fill(pending, stop);
        boolean trial = true;
        for (int i = 0; i < steps && !stop.getAsBoolean(); i++) {
            if (scheduler.view().pendingJobs() < pending && !arrivals.isEmpty() && !fillers.isEmpty()) {
                TrueJob next = trial ? arrivals.remove() : fillers.remove();
                trial = !trial;
                now++;
                timed(submitted(next));
            } else {
                now = Math.max(now + 1, Math.min(engine.nextMillis(), wake));
                timed(engine.advance(now));
            }
        }
        return latencies;
    }

    public int pendingJobs() {
        return scheduler.view().pendingJobs();
    }

    public int runningJobs() {
        return scheduler.view().runningJobs();
    }

    /** Batch jobs until the GPUs are taken and enough of them wait; then time for all to have loaded. */
    private void fill(int pending, BooleanSupplier stop) {
        while (scheduler.view().pendingJobs() < pending && !fillers.isEmpty() && !stop.getAsBoolean()) {
            List<Event> news = new ArrayList<>();
            for (int i = 0; i < CHUNK && !fillers.isEmpty(); i++) {
                news.addAll(submitted(fillers.remove()));
            }
            now += 1000;
            news.addAll(0, engine.advance(now));
            carryOut(scheduler.step(now, news));
        }
        long settled = now + SETTLE_MILLIS;
        while (Math.min(engine.nextMillis(), wake) < settled && !stop.getAsBoolean()) {
            now = Math.max(now + 1, Math.min(engine.nextMillis(), wake));
            carryOut(scheduler.step(now, engine.advance(now)));
        }
    }

    private List<Event> submitted(TrueJob job) {
        engine.arrive(job);
        return List.of(new Event.Submitted(job.job()));
    }

    private void timed(List<Event> news) {
        long begin = System.nanoTime();
        Decision decision = scheduler.step(now, news);
        long nanos = System.nanoTime() - begin;
        Latencies kind = latencies.get(kind(decision));
        if (kind != null) {
            kind.add(nanos);
        }
        carryOut(decision);
    }

    private static Kind kind(Decision decision) {
        Kind kind = Kind.NOTHING;
        for (Fact fact : decision.facts()) {
            if (fact instanceof Fact.Pausing || fact instanceof Fact.Promised) {
                return Kind.PREEMPTED;
            }
            if (fact instanceof Fact.Started) {
                kind = Kind.STARTED;
            }
        }
        return kind;
    }

    private void carryOut(Decision decision) {
        for (Command command : decision.commands()) {
            engine.submit(now, command);
        }
        wake = decision.wakeAtMillis();
    }
}
