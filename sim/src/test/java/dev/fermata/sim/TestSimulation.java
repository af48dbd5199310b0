package dev.fermata.sim;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.measure.MetricsCollector;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.engine.ModelError;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.engine.TrueModel;
import dev.fermata.sim.estimate.Estimators;
import dev.fermata.sim.kernel.Simulation;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.List;

/** A small simulation: a cluster, a policy, a few jobs, and their history. */
public final class TestSimulation {
    /** One entry of the history. */
    public record SimulatedRecord(long atMillis, HistoryRecord record) {}

    private final Topology topology;
    private final String policy;
    private final List<SimulatedJob> jobs = new ArrayList<>();
    private final List<Workload.TimedRequest> requests = new ArrayList<>();
    private String estimator = "oracle";
    private Faults.FaultRates faults = Faults.FaultRates.NONE;
    private ModelError modelError = ModelError.NONE;
    private long seed = 1;
    private GuardMode guard = GuardMode.FULL;
    private final List<SimulatedRecord> history = new ArrayList<>();
    private final MetricsCollector metrics;
    private Scheduler scheduler;

    private TestSimulation(Topology topology, String policy) {
        this.topology = topology;
        this.policy = policy;
        this.metrics = new MetricsCollector(topology);
    }

    public static TestSimulation on(String cluster, String policy) {
        return new TestSimulation(ClusterSpec.parse(cluster), policy);
    }

    public static TestSimulation on(Topology topology, String policy) {
        return new TestSimulation(topology, policy);
    }

    public TestSimulation estimator(String value) {
        estimator = value;
        return this;
    }

    public TestSimulation faults(Faults.FaultRates value, long withSeed) {
        faults = value;
        seed = withSeed;
        return this;
    }

    public TestSimulation modelError(ModelError value) {
        modelError = value;
        return this;
    }

    public TestSimulation guard(GuardMode value) {
        guard = value;
        return this;
    }

    public TestSimulation job(Job job, long submitSecond, long durationSeconds) {
        return job(SimulatedJob.of(job, submitSecond * 1000, durationSeconds * 1000));
    }

    /** Adds a user request at this time. */
    public TestSimulation request(long atSecond, Event event) {
        requests.add(new Workload.TimedRequest(atSecond * 1000, event));
        return this;
    }

    public TestSimulation job(SimulatedJob job) {
        jobs.add(job);
        return this;
    }

    public TestSimulation run() {
        return run((now, record) -> {});
    }

    public TestSimulation run(Simulation.Listener listener) {
        SimulatedEngine engine = new SimulatedEngine(
                topology, new Faults(topology, faults, seed), new TrueModel(topology, modelError, seed));
        PolicySpec spec = PolicySpec.parse(policy);
        scheduler = new Scheduler(
                topology,
                spec.create(),
                Estimators.parse(estimator).create(engine, seed),
                guard,
                spec.memoryGuard(),
                spec.mixedGangs());
        Simulation.Listener note = (now, record) -> {
            history.add(new SimulatedRecord(now, record));
            metrics.accept(now, record);
            listener.onRecord(now, record);
        };
        new Simulation(workload(), scheduler, engine, note).run(() -> false);
        return this;
    }

    /** Valid while and after it runs. */
    public Scheduler scheduler() {
        return scheduler;
    }

    public MetricsCollector metrics() {
        return metrics;
    }

    public List<SimulatedRecord> history() {
        return history;
    }

    public Workload workload() {
        return new Workload("play", jobs, requests);
    }

    public Topology topology() {
        return topology;
    }

    /** When an attempt got its GPUs. */
    public long startedMillis(long job, int attempt) {
        return findMillis(HistoryRecord.Started.class, f -> f.jobId() == job && f.attempt() == attempt);
    }

    /** When an attempt had loaded. */
    public long runningMillis(long job, int attempt) {
        return findMillis(HistoryRecord.Running.class, f -> f.jobId() == job && f.attempt() == attempt);
    }

    public long endedMillis(long job, int attempt) {
        return findMillis(HistoryRecord.AttemptEnded.class, f -> f.jobId() == job && f.attempt() == attempt);
    }

    public HistoryRecord.AttemptEnded attemptEnded(long job, int attempt) {
        return history.stream()
                .map(SimulatedRecord::record)
                .filter(HistoryRecord.AttemptEnded.class::isInstance)
                .map(HistoryRecord.AttemptEnded.class::cast)
                .filter(f -> f.jobId() == job && f.attempt() == attempt)
                .findFirst()
                .orElseThrow();
    }

    private <F extends HistoryRecord> long findMillis(Class<F> type, java.util.function.Predicate<F> what) {
        return history.stream()
                .filter(line -> type.isInstance(line.record()) && what.test(type.cast(line.record())))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no such " + type.getSimpleName() + " in " + history))
                .atMillis();
    }
}
