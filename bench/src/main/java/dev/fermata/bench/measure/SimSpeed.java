package dev.fermata.bench.measure;

import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.experiment.Experiment;
import dev.fermata.sim.experiment.RunResult;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.WorkloadSpec;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.util.function.BooleanSupplier;

/**
 * The speed of the simulator with one policy. CPU time is that of the thread that simulates, without collections of the
 * heap: on a busy machine it says more than wall time. Peak heap includes garbage that was not collected yet.
 */
public record SimSpeed(
        String policy,
        String cluster,
        int jobs,
        long events,
        long decisions,
        double wallSeconds,
        double cpuSeconds,
        double peakHeapMib,
        ThroughputRecorder.RunSegment firstTenth,
        ThroughputRecorder.RunSegment lastTenth,
        boolean complete) {
    private static final String WARM_UP_CLUSTER = "16x8:V100";
    private static final String WARM_UP_JOBS = "synthetic:jobs=3000,load=0.95";

    public double eventsPerSecond() {
        return wallSeconds > 0 ? events / wallSeconds : 0;
    }

    public double microsPerDecision() {
        return decisions > 0 ? wallSeconds * 1e6 / decisions : 0;
    }

    /** Warms up the JVM with this policy. */
    public static void warmUp(PolicySpec policy, long seed) {
        Topology topology = ClusterSpec.parse(WARM_UP_CLUSTER);
        Workload workload = WorkloadSpec.generate(WARM_UP_JOBS, topology, seed);
        experiment(WARM_UP_CLUSTER, topology, workload, policy, seed).run(0, Experiment.RunObserver.NONE);
    }

    public static SimSpeed measure(
            String cluster, Topology topology, Workload workload, PolicySpec policy, long seed, BooleanSupplier stop) {
        System.gc(); // so that the peak is this run's
        ManagementFactory.getMemoryPoolMXBeans().forEach(MemoryPoolMXBean::resetPeakUsage);
        ThroughputRecorder watch = new ThroughputRecorder(stop);
        RunResult result = experiment(cluster, topology, workload, policy, seed).run(0, watch);
        return new SimSpeed(
                policy.text(),
                cluster,
                workload.jobs().size(),
                result.events(),
                result.decisions(),
                result.wallSeconds(),
                watch.cpuSeconds(),
                result.peakHeapMib(),
                watch.firstTenth(),
                watch.lastTenth(),
                result.complete());
    }

    private static Experiment experiment(
            String cluster, Topology topology, Workload workload, PolicySpec policy, long seed) {
        return new Experiment(
                cluster, topology, workload, policy, "oracle", Faults.FaultRates.NONE, seed, GuardMode.PLAN);
    }
}
