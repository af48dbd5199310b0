package dev.fermata.live.loop;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.history.HistoryEntry;
import dev.fermata.live.metrics.DaemonMetrics;
import dev.fermata.live.prediction.StartPredictor;
import dev.fermata.live.request.Actor;
import dev.fermata.live.request.RequestRejectedException;
import dev.fermata.live.service.DefaultSchedulerService;
import dev.fermata.live.service.SchedulerService;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.store.JobRow;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A scheduler loop whose cycles the test runs, with an engine and a store that outlive it. */
public final class LoopFixture {
    public static final Actor ANN = new Actor("ann", "USER", "127.0.0.1");
    public static final GpuType GPU_TYPE = new GpuType("H100", 81_920, 1.0);

    public final InMemoryStore store;
    public final ManualEngine engine;
    final PolicySpec policy;
    public LoopSettings settings = LoopSettings.DEFAULT.withGuard(GuardMode.FULL);
    boolean shadow;

    @Nullable
    public StartPredictor predictor;

    private DaemonMetrics metrics = new DaemonMetrics();
    private SchedulerLoop loop;
    private SchedulerService service;
    public long now = 1_000_000;

    public LoopFixture(String policy, int... gpusOfNodes) {
        this(policy, new InMemoryStore(), gpusOfNodes);
    }

    /** On a history that another cluster may have written. */
    LoopFixture(String policy, InMemoryStore store, int... gpusOfNodes) {
        this(policy, store, "hand", gpusOfNodes);
        restart();
    }

    /** At another location, not started. */
    public LoopFixture(String policy, InMemoryStore store, String identity, int... gpusOfNodes) {
        this(policy, store, identity, clusterOf(gpusOfNodes));
    }

    /** On a cluster of several types. */
    LoopFixture(String policy, Topology cluster) {
        this(policy, new InMemoryStore(), "hand", cluster);
        restart();
    }

    private static Topology clusterOf(int... gpusOfNodes) {
        Topology.Builder cluster = Topology.builder();
        Arrays.stream(gpusOfNodes).forEach(gpus -> cluster.node(GPU_TYPE, gpus));
        return cluster.build();
    }

    private LoopFixture(String policy, InMemoryStore store, String identity, Topology cluster) {
        this.store = store;
        engine = new ManualEngine(cluster);
        engine.identity = identity;
        this.policy = PolicySpec.parse(policy);
        loop = newLoop(new MonotonicClock(() -> now, () -> 0));
        service = new DefaultSchedulerService(loop, predictor);
    }

    /** A new loop on the same store, as after a crash: no state of the old one is left. */
    public LoopFixture restart() {
        loop = newLoop(new MonotonicClock(() -> now, () -> 0));
        service = new DefaultSchedulerService(loop, predictor);
        loop.lead();
        runCycle();
        return this;
    }

    /** Another loop on the same store, not started. */
    public SchedulerLoop newLoop(MonotonicClock clock) {
        metrics = new DaemonMetrics();
        return new SchedulerLoop(store, engine, policy, settings, shadow, clock, metrics);
    }

    /** Of the latest loop. */
    DaemonMetrics metrics() {
        return metrics;
    }

    public SchedulerLoop loop() {
        return loop;
    }

    public SchedulerService service() {
        return service;
    }

    public long runCycle() {
        return loop.runCycle(now);
    }

    public LoopFixture advance(long millis) {
        now += millis;
        runCycle();
        return this;
    }

    /** Job 1 is long and known to be, job 2 is not: {@code srtf} preempts the first for the second. */
    void preemptFirstForSecond(String onPreempt) {
        submit(TestSpec.gpus(2).onPreempt(onPreempt));
        engine.running(1);
        advance(10);
        engine.report(1, now, 1, 100_000);
        advance(60_000);
        engine.report(1, now, 2, 100_000);
        advance(1_000);
        submit(TestSpec.gpus(1));
        if (row(1).state() != JobState.PREEMPTING) {
            throw new AssertionError("job 1 is not preempted: " + row(1));
        }
    }

    public List<Long> submit(TestSpec... specs) {
        return runAndGet(service.submit(ANN, specs(specs), null));
    }

    public static List<JobSpec> specs(TestSpec... specs) {
        return Stream.of(specs).map(TestSpec::spec).toList();
    }

    /** The answer after one cycle. */
    public <T> T runAndGet(CompletableFuture<T> answer) {
        runCycle();
        return answer.join();
    }

    public RequestRejectedException rejection(CompletableFuture<?> answer) {
        runCycle();
        try {
            throw new AssertionError("granted: " + answer.join());
        } catch (CompletionException e) {
            if (e.getCause() instanceof RequestRejectedException rejection) {
                return rejection;
            }
            throw e;
        }
    }

    public JobRow row(long id) {
        return store.job(id).orElseThrow();
    }

    public List<String> history() {
        return store.entries().stream().map(LoopFixture::describe).toList();
    }

    private static String describe(HistoryEntry entry) {
        return entry.type() + (entry.jobId() < 0 ? "" : " " + entry.jobId()) + " by " + entry.actor();
    }
}
