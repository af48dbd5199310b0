package dev.fermata.sim.experiment;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.measure.Meter;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.estimate.Estimators;
import dev.fermata.sim.kernel.Simulation;
import dev.fermata.sim.portrait.Portrait;
import dev.fermata.sim.portrait.Portraitist;
import dev.fermata.sim.workload.Workload;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Everything one run needs, named as the user named it. */
public record Experiment(
        String clusterName,
        Topology topology,
        Workload workload,
        PolicySpec policy,
        String estimator,
        Faults.Rates faults,
        long seed,
        GuardMode guard) {

    /** Watches a run and may end it early; called from the thread that runs it. */
    public interface Watcher extends Simulation.Listener {
        Watcher NONE = (now, fact) -> {};

        default boolean stop() {
            return false;
        }

        /** Whether everybody of interest has ended: those who have not need not be run to their end. */
        default boolean enough() {
            return false;
        }

        /** Whether what happens to this job counts for the measures. */
        default boolean measures(long jobId) {
            return true;
        }
    }

    /** Runs it once. The bound is the caller's: it is the same for every policy on this workload. */
    public RunResult run(double lowerBoundMeanJctSeconds, Watcher watcher) {
        return run(lowerBoundMeanJctSeconds, watcher, Optional.empty());
    }

    /** The same, and draws what reports need in that detail. */
    public RunResult run(double lowerBoundMeanJctSeconds, Watcher watcher, Optional<Portrait.Detail> detail) {
        return run(lowerBoundMeanJctSeconds, watcher, detail, Estimators.parse(estimator));
    }

    /** The same with an estimator that has no name in the catalogue. */
    public RunResult run(
            double lowerBoundMeanJctSeconds,
            Watcher watcher,
            Optional<Portrait.Detail> detail,
            Estimators.Factory estimators) {
        SimulatedEngine engine = new SimulatedEngine(topology, new Faults(topology, faults, seed));
        Scheduler scheduler = new Scheduler(
                topology,
                policy.create(),
                estimators.create(engine, seed),
                guard,
                policy.memoryPromise(),
                policy.mixedGangs());
        Meter meter = new Meter(topology);
        EstimateError estimates = new EstimateError();
        Portraitist portraitist =
                detail.map(d -> new Portraitist(topology, meter, d)).orElse(null);
        long[] rejected = new long[1];
        Simulation.Listener listener = (now, fact) -> {
            boolean measured = watcher.measures(fact.jobId());
            if (measured) {
                meter.accept(now, fact);
            }
            if (measured && portraitist != null) {
                portraitist.accept(now, fact);
            }
            if (fact instanceof Fact.Rejected) {
                rejected[0]++;
            }
            JobView submitted = measured && fact instanceof Fact.Submitted ? scheduler.job(fact.jobId()) : null;
            if (submitted != null) {
                estimates.add(scheduler.view().remainingMillis(submitted), engine.durationMillis(submitted.id()));
            }
            watcher.fact(now, fact);
        };
        ManagementFactory.getMemoryPoolMXBeans().forEach(MemoryPoolMXBean::resetPeakUsage);
        long begin = System.nanoTime();
        BooleanSupplier stop = () -> watcher.enough() || watcher.stop();
        Simulation.Counts counts = new Simulation(workload, scheduler, engine, listener).run(stop);
        double wall = (System.nanoTime() - begin) / 1e9;
        return new RunResult(
                policy.text(),
                clusterName,
                workload.name(),
                estimator,
                seed,
                meter.summary(),
                lowerBoundMeanJctSeconds,
                meter.results(),
                counts.unfinished() == 0 || watcher.enough(),
                counts.events(),
                counts.decisions(),
                rejected[0],
                estimates.median(),
                wall,
                peakHeapMib(),
                portraitist == null ? null : portraitist.portrait());
    }

    private static double peakHeapMib() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                        .filter(pool -> pool.getType() == MemoryType.HEAP)
                        .mapToLong(pool -> pool.getPeakUsage().getUsed())
                        .sum()
                / 1048576.0;
    }
}
