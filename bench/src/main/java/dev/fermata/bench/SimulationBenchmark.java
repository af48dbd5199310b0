package dev.fermata.bench;

import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.experiment.Experiment;
import dev.fermata.sim.experiment.LowerBound;
import dev.fermata.sim.experiment.RunResult;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.WorkloadSpec;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** A whole small simulation, warm: the cost of a change to the scheduling cycle or a policy. Compare ratios, not milliseconds. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 5, time = 3)
public class SimulationBenchmark {
    @Param({"fifo", "fifo-backfill", "srtf", "las", "consolidate"})
    private String policy = "fifo";

    @Param({"PLAN", "OFF"})
    private String guard = "PLAN";

    private final Topology topology = ClusterSpec.parse("64x8:V100");
    private final Workload workload = WorkloadSpec.generate("synthetic:jobs=5000,load=0.95", topology, 1);
    private PolicySpec spec = PolicySpec.parse("fifo");

    @Setup
    public void choosePolicy() {
        spec = PolicySpec.parse(policy);
    }

    @Benchmark
    public RunResult simulate() {
        GuardMode mode = GuardMode.valueOf(guard);
        return new Experiment("64x8:V100", topology, workload, spec, "oracle", Faults.FaultRates.NONE, 1, mode)
                .run(0, Experiment.RunObserver.NONE);
    }

    @Benchmark
    public double lowerBound() {
        return LowerBound.meanJctSeconds(workload, topology);
    }
}
