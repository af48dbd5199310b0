package dev.fermata.bench.measure;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.Order;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.estimate.Estimators;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * How long one step of the scheduler takes on a full cluster with many jobs waiting. Long batch jobs fill the GPUs and the
 * queue; then trial and batch jobs arrive one by one as others end, and every step is timed.
 */
public final class DecisionLatency {
    /** The result of a step. A preemptive policy weighs pauses in every step that finds no free GPUs. */
    public enum StepOutcome {
        /** Jobs were started on free GPUs, without a preemption. */
        STARTED,
        /** Jobs were preempted, or GPUs being vacated were reserved. */
        PREEMPTED,
        /** Events without an action. */
        NO_ACTION,
        /** Steps in which a node changed as well; they count under their other result too. */
        NODE_CHANGED,
        /** After the orders of a step are out, the policy works ahead: no job waits for it. */
        WORKED_AHEAD
    }

    private static final int CHUNK = 500;
    /** After most steps there is nothing to work ahead. */
    private static final long MIN_AHEAD_NANOS = 100_000;

    private static final long SETTLE_MILLIS = 300_000;

    private final LongSupplier nanoClock;
    private final Scheduler scheduler;
    private final SimulatedEngine engine;
    private final ArrayDeque<SimulatedJob> fillers = new ArrayDeque<>();
    private final ArrayDeque<SimulatedJob> arrivals = new ArrayDeque<>();
    private final Map<StepOutcome, LatencySample> latencies = new EnumMap<>(StepOutcome.class);
    private long now;
    private long wakeMillis = Long.MAX_VALUE;
    private @Nullable ChangingNodes changingNodes;

    /** @param nanoClock times the steps */
    public DecisionLatency(Topology topology, Workload jobs, PolicySpec policy, long seed, LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        engine = new SimulatedEngine(topology, Faults.none(topology));
        scheduler = new Scheduler(
                topology,
                policy::create,
                Estimators.parse("oracle").create(engine, seed),
                GuardMode.PLAN,
                policy.memoryGuard(),
                policy.mixedGangs());
        scheduler.runCycle(
                0, jobs.requests().stream().map(Workload.TimedRequest::event).toList());
        for (SimulatedJob job : jobs.jobs()) {
            (job.job().jobClass() == JobClass.BATCH ? fillers : arrivals).add(job);
        }
        for (StepOutcome variant : StepOutcome.values()) {
            latencies.put(variant, new LatencySample());
        }
    }

    /** While steps are timed a node changes each second. */
    public DecisionLatency withChangingNodes() {
        changingNodes = new ChangingNodes();
        return this;
    }

    public Map<StepOutcome, LatencySample> measure(int pending, int steps, BooleanSupplier stop) {
        fill(pending, stop);
        boolean trial = true;
        for (int i = 0; i < steps && !stop.getAsBoolean(); i++) {
            if (scheduler.view().pendingJobs() < pending && !arrivals.isEmpty() && !fillers.isEmpty()) {
                SimulatedJob next = trial ? arrivals.remove() : fillers.remove();
                trial = !trial;
                now++;
                timeStep(submitEvent(next));
            } else {
                now = Math.max(now + 1, Math.min(engine.nextMillis(), wakeMillis));
                timeStep(engine.advance(now));
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
            List<Event> events = new ArrayList<>();
            for (int i = 0; i < CHUNK && !fillers.isEmpty(); i++) {
                events.addAll(submitEvent(fillers.remove()));
            }
            now += 1000;
            events.addAll(0, engine.advance(now));
            carryOut(scheduler.runCycle(now, events));
            scheduler.prepare();
        }
        long settled = now + SETTLE_MILLIS;
        while (Math.min(engine.nextMillis(), wakeMillis) < settled && !stop.getAsBoolean()) {
            now = Math.max(now + 1, Math.min(engine.nextMillis(), wakeMillis));
            carryOut(scheduler.runCycle(now, engine.advance(now)));
            scheduler.prepare();
        }
    }

    private List<Event> submitEvent(SimulatedJob job) {
        engine.addJob(job);
        return List.of(new Event.Submitted(job.job()));
    }

    private void timeStep(List<Event> news) {
        List<Event> changes = changingNodes == null ? List.of() : changingNodes.advance(now, scheduler, engine);
        List<Event> events = new ArrayList<>(changes);
        events.addAll(news);
        long begin = nanoClock.getAsLong();
        Decision decision = scheduler.runCycle(now, events);
        long nanos = nanoClock.getAsLong() - begin;
        LatencySample sample = latencies.get(outcome(decision));
        if (sample != null) {
            sample.add(nanos);
        }
        LatencySample changed = latencies.get(StepOutcome.NODE_CHANGED);
        if (changed != null && !changes.isEmpty()) {
            changed.add(nanos);
        }
        carryOut(decision);
        begin = nanoClock.getAsLong();
        scheduler.prepare();
        nanos = nanoClock.getAsLong() - begin;
        LatencySample ahead = latencies.get(StepOutcome.WORKED_AHEAD);
        if (ahead != null && nanos > MIN_AHEAD_NANOS) {
            ahead.add(nanos);
        }
    }

    private static StepOutcome outcome(Decision decision) {
        StepOutcome outcome = StepOutcome.NO_ACTION;
        for (HistoryRecord entry : decision.records()) {
            if (entry instanceof HistoryRecord.Preempting || entry instanceof HistoryRecord.Reserved) {
                return StepOutcome.PREEMPTED;
            }
            outcome = entry instanceof HistoryRecord.Started ? StepOutcome.STARTED : outcome;
        }
        return outcome;
    }

    private void carryOut(Decision decision) {
        for (Order command : decision.orders()) {
            engine.submit(now, command);
        }
        wakeMillis = decision.wakeAtMillis();
    }
}
