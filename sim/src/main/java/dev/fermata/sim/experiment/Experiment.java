package dev.fermata.sim.experiment;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.measure.MetricsCollector;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.engine.ModelError;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.engine.TrueModel;
import dev.fermata.sim.estimate.Estimators;
import dev.fermata.sim.kernel.Simulation;
import dev.fermata.sim.recording.RunRecorder;
import dev.fermata.sim.recording.RunRecording;
import dev.fermata.sim.workload.Workload;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Everything one run needs, named as the user named it.
 *
 * @param modelError how wrong the policy is about the cluster that it runs on
 */
public record Experiment(
        String clusterName,
        Topology topology,
        Workload workload,
        PolicySpec policy,
        String estimator,
        Faults.FaultRates faults,
        long seed,
        GuardMode guard,
        ModelError modelError) {

    /** A policy that knows the cluster as it is. */
    public Experiment(
            String clusterName,
            Topology topology,
            Workload workload,
            PolicySpec policy,
            String estimator,
            Faults.FaultRates faults,
            long seed,
            GuardMode guard) {
        this(clusterName, topology, workload, policy, estimator, faults, seed, guard, ModelError.NONE);
    }

    /** Observes a run and may end it early. It is called from the thread of the run. */
    public interface RunObserver extends Simulation.Listener {
        RunObserver NONE = (now, record) -> {};

        default boolean shouldStop() {
            return false;
        }

        /** Whether every job of interest has ended, so that the run may stop. */
        default boolean isSatisfied() {
            return false;
        }

        /** Whether this job counts for the measures. */
        default boolean isMeasured(long jobId) {
            return true;
        }
    }

    /** Runs it once. The caller provides the bound, which is the same for every policy on this workload. */
    public RunResult run(double lowerBoundMeanJctSeconds, RunObserver observer) {
        return run(lowerBoundMeanJctSeconds, observer, Optional.empty());
    }

    /** The same, and records what reports need in that detail. */
    public RunResult run(
            double lowerBoundMeanJctSeconds, RunObserver observer, Optional<RunRecording.RecordingDetail> detail) {
        return run(lowerBoundMeanJctSeconds, observer, detail, Estimators.parse(estimator));
    }

    /** The same with an estimator that has no name in the catalogue. */
    public RunResult run(
            double lowerBoundMeanJctSeconds,
            RunObserver observer,
            Optional<RunRecording.RecordingDetail> detail,
            Estimators.EstimatorFactory estimators) {
        SimulatedEngine engine = new SimulatedEngine(
                topology, new Faults(topology, faults, seed), new TrueModel(topology, modelError, seed));
        Scheduler scheduler = new Scheduler(
                topology,
                policy::create,
                estimators.create(engine, seed),
                guard,
                policy.memoryGuard(),
                policy.mixedGangs());
        MetricsCollector metrics = new MetricsCollector(topology);
        EstimateError estimates = new EstimateError();
        RunRecorder recorder =
                detail.map(d -> new RunRecorder(topology, metrics, d)).orElse(null);
        long[] rejected = new long[1];
        Simulation.Listener listener = (now, record) -> {
            boolean measured = observer.isMeasured(record.jobId());
            if (measured) {
                metrics.accept(now, record);
            }
            if (measured && recorder != null) {
                recorder.accept(now, record);
            }
            if (record instanceof HistoryRecord.ActionRejected) {
                rejected[0]++;
            }
            JobView submitted =
                    measured && record instanceof HistoryRecord.Submitted ? scheduler.job(record.jobId()) : null;
            if (submitted != null) {
                estimates.add(scheduler.view().remainingMillis(submitted), engine.durationMillis(submitted.id()));
            }
            observer.onRecord(now, record);
        };
        ManagementFactory.getMemoryPoolMXBeans().forEach(MemoryPoolMXBean::resetPeakUsage);
        long begin = System.nanoTime();
        BooleanSupplier stop = () -> observer.isSatisfied() || observer.shouldStop();
        Simulation.SimulationCounts counts = new Simulation(workload, scheduler, engine, listener).run(stop);
        double wall = (System.nanoTime() - begin) / 1e9;
        return new RunResult(
                policy.text(),
                clusterName,
                workload.name(),
                estimator,
                seed,
                metrics.summary(),
                lowerBoundMeanJctSeconds,
                metrics.results(),
                counts.unfinished() == 0 || observer.isSatisfied(),
                counts.events(),
                counts.decisions(),
                rejected[0],
                estimates.median(),
                wall,
                peakHeapMib(),
                recorder == null ? null : recorder.recording());
    }

    /** The error of the estimates that policies decide on, over all jobs at their submission. */
    private static final class EstimateError {
        private double[] errors = new double[1024];
        private int jobs;

        /** Adds a submitted job with its estimated and its true work. */
        void add(long expectedMillis, long trueMillis) {
            if (jobs == errors.length) {
                errors = Arrays.copyOf(errors, 2 * jobs);
            }
            errors[jobs++] = Math.abs(StrictMath.log((double) expectedMillis / trueMillis));
        }

        /** The median of the absolute difference of the logarithms: ln 2 where half of all were off by more than a factor of 2. */
        double median() {
            Arrays.sort(errors, 0, jobs);
            return jobs == 0 ? 0 : (errors[(jobs - 1) / 2] + errors[jobs / 2]) / 2;
        }
    }

    private static double peakHeapMib() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                        .filter(pool -> pool.getType() == MemoryType.HEAP)
                        .mapToLong(pool -> pool.getPeakUsage().getUsed())
                        .sum()
                / 1048576.0;
    }
}
