package dev.fermata.sim;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.measure.Meter;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.estimate.Estimators;
import dev.fermata.sim.kernel.Simulation;
import dev.fermata.sim.workload.TrueJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.List;

/** A run small enough to be told: a cluster, a policy, a few jobs, and the history they made. */
public final class Play {
    /** One line of the history. */
    public record Line(long atMillis, Fact fact) {}

    private final Topology topology;
    private final String policy;
    private final List<TrueJob> jobs = new ArrayList<>();
    private final List<Workload.Request> requests = new ArrayList<>();
    private String estimator = "oracle";
    private Faults.Rates faults = Faults.Rates.NONE;
    private long seed = 1;
    private GuardMode guard = GuardMode.FULL;
    private final List<Line> history = new ArrayList<>();
    private final Meter meter;
    private Scheduler scheduler;

    private Play(Topology topology, String policy) {
        this.topology = topology;
        this.policy = policy;
        this.meter = new Meter(topology);
    }

    public static Play on(String cluster, String policy) {
        return new Play(ClusterSpec.parse(cluster), policy);
    }

    public static Play on(Topology topology, String policy) {
        return new Play(topology, policy);
    }

    public Play estimator(String value) {
        estimator = value;
        return this;
    }

    public Play faults(Faults.Rates value, long withSeed) {
        faults = value;
        seed = withSeed;
        return this;
    }

    public Play guard(GuardMode value) {
        guard = value;
        return this;
    }

    public Play job(Job job, long submitSecond, long durationSeconds) {
        return job(TrueJob.of(job, submitSecond * 1000, durationSeconds * 1000));
    }

    /** Somebody asks for something meanwhile. */
    public Play request(long atSecond, Event event) {
        requests.add(new Workload.Request(atSecond * 1000, event));
        return this;
    }

    public Play job(TrueJob job) {
        jobs.add(job);
        return this;
    }

    public Play run() {
        return run((now, fact) -> {});
    }

    public Play run(Simulation.Listener listener) {
        SimulatedEngine engine = new SimulatedEngine(topology, new Faults(topology, faults, seed));
        PolicySpec spec = PolicySpec.parse(policy);
        scheduler = new Scheduler(
                topology,
                spec.create(),
                Estimators.parse(estimator).create(engine, seed),
                guard,
                spec.memoryPromise(),
                spec.mixedGangs());
        Simulation.Listener note = (now, fact) -> {
            history.add(new Line(now, fact));
            meter.accept(now, fact);
            listener.fact(now, fact);
        };
        new Simulation(workload(), scheduler, engine, note).run(() -> false);
        return this;
    }

    /** Valid while and after it runs. */
    public Scheduler scheduler() {
        return scheduler;
    }

    public Meter meter() {
        return meter;
    }

    public List<Line> history() {
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
        return when(Fact.Started.class, f -> f.jobId() == job && f.attempt() == attempt);
    }

    /** When an attempt had loaded. */
    public long runningMillis(long job, int attempt) {
        return when(Fact.Running.class, f -> f.jobId() == job && f.attempt() == attempt);
    }

    public long leftMillis(long job, int attempt) {
        return when(Fact.Left.class, f -> f.jobId() == job && f.attempt() == attempt);
    }

    public Fact.Left left(long job, int attempt) {
        return history.stream()
                .map(Line::fact)
                .filter(Fact.Left.class::isInstance)
                .map(Fact.Left.class::cast)
                .filter(f -> f.jobId() == job && f.attempt() == attempt)
                .findFirst()
                .orElseThrow();
    }

    private <F extends Fact> long when(Class<F> kind, java.util.function.Predicate<F> what) {
        return history.stream()
                .filter(line -> kind.isInstance(line.fact()) && what.test(kind.cast(line.fact())))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no such " + kind.getSimpleName() + " in " + history))
                .atMillis();
    }
}
