package dev.fermata.sim.forecast;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.LedgerImage;
import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.Pace;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.estimate.Estimators;
import dev.fermata.sim.kernel.Simulation;
import dev.fermata.sim.workload.TrueJob;
import dev.fermata.sim.workload.Workload;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/** A simulated run that is stopped in the middle, foreseen from there, and then goes on: what really happens is known. */
final class KnownWorld {
    final Topology topology;
    final PolicySpec policy;
    final Scheduler scheduler;
    /** First start after the stop, by job. */
    final Map<Long, Long> starts = new TreeMap<>();

    private final Map<Long, TrueJob> jobs = new HashMap<>();
    private final Simulation simulation;
    private int facts;
    private boolean stopped;

    KnownWorld(Topology topology, String policy, List<TrueJob> jobs) {
        this.topology = topology;
        this.policy = PolicySpec.parse(policy);
        jobs.forEach(job -> this.jobs.put(job.job().id(), job));
        SimulatedEngine engine = new SimulatedEngine(topology, Faults.none(topology));
        scheduler = new Scheduler(
                topology,
                this.policy.create(),
                Estimators.parse("oracle").create(engine, 1),
                GuardMode.FULL,
                this.policy.memoryPromise(),
                this.policy.mixedGangs());
        simulation = new Simulation(new Workload("known", jobs), scheduler, engine, this::hear);
    }

    private void hear(long now, Fact fact) {
        facts++;
        if (stopped && fact instanceof Fact.Started started) {
            starts.putIfAbsent(started.jobId(), now);
        }
    }

    /** Runs until all have arrived and this much happened. */
    KnownWorld until(int mostFacts) {
        long last =
                jobs.values().stream().mapToLong(TrueJob::submitMillis).max().orElse(0);
        simulation.run(() -> facts >= mostFacts && scheduler.image().factMillis() >= last);
        stopped = true;
        return this;
    }

    long now() {
        return scheduler.view().nowMillis();
    }

    /** @param doubt how many times more than the truth is thought possible with a chance of one in ten; 1 for none */
    LiveState state(long doubt) {
        LedgerImage image = scheduler.image();
        Map<Long, Belief> beliefs = new HashMap<>();
        for (LedgerImage.Page page : image.jobs()) {
            TrueJob job = Objects.requireNonNull(jobs.get(page.job().id()));
            long done = page.savedWorkMillis()
                    + (page.attemptWorkMicro() + (now() - page.paceSinceMillis()) * page.paceMicro()) / Pace.UNIT;
            long left = Math.max(1, job.durationMillis() - done);
            beliefs.put(
                    page.job().id(),
                    new Belief(done, left, Math.max(1, left / doubt), left * doubt, null, job.costs()));
        }
        return new LiveState(topology, policy, image, 0, beliefs, List.of(), List.of(), now());
    }

    void goOn() {
        simulation.run(() -> false);
    }
}
