package dev.fermata.live.conductor;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.live.foresee.Foresight;
import dev.fermata.live.metrics.Meters;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.store.JobRow;
import dev.fermata.live.store.Line;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A conductor turned by hand, with an engine and a store that outlive it. */
final class Stage {
    static final Actor ANN = new Actor("ann", "USER", "127.0.0.1");
    static final GpuType TYPE = new GpuType("H100", 81_920, 1.0);

    final MemoryStore store;
    final HandEngine engine;
    final PolicySpec policy;
    ConductorSettings settings = ConductorSettings.DEFAULT.withGuard(GuardMode.FULL);
    boolean shadow;

    @Nullable
    Foresight foresight;

    private Conductor conductor;
    private Desk desk;
    long now = 1_000_000;

    Stage(String policy, int... gpusOfNodes) {
        this(policy, new MemoryStore(), gpusOfNodes);
    }

    /** On a history that another cluster may have made. */
    Stage(String policy, MemoryStore store, int... gpusOfNodes) {
        this(policy, store, "hand", gpusOfNodes);
        restart();
    }

    /** At another place, and not begun yet. */
    Stage(String policy, MemoryStore store, String identity, int... gpusOfNodes) {
        this.store = store;
        Topology.Builder cluster = Topology.builder();
        Arrays.stream(gpusOfNodes).forEach(gpus -> cluster.node(TYPE, gpus));
        engine = new HandEngine(cluster.build());
        engine.identity = identity;
        this.policy = PolicySpec.parse(policy);
        conductor = another(new SteadyClock(() -> now, () -> 0));
        desk = conductor.desk();
    }

    /** Another conductor on the same store, as after a crash: nothing of the old one is left. */
    Stage restart() {
        conductor = another(new SteadyClock(() -> now, () -> 0));
        desk = conductor.desk();
        conductor.lead();
        turn();
        return this;
    }

    /** A further conductor on the same store, not begun yet. */
    Conductor another(SteadyClock clock) {
        return new Conductor(store, engine, policy, settings, shadow, clock, new Meters(), foresight);
    }

    Conductor conductor() {
        return conductor;
    }

    Desk desk() {
        return desk;
    }

    long turn() {
        try {
            return conductor.turn(now);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    Stage later(long millis) {
        now += millis;
        turn();
        return this;
    }

    /** Job 1 is long and known to be, job 2 is not: under {@code srtf} the first is asked to leave for the second. */
    void pauseFirstForSecond(String onPreempt) {
        submit(Specs.gpus(2).onPreempt(onPreempt));
        engine.running(1);
        later(10);
        engine.report(1, now, 1, 100_000);
        later(60_000);
        engine.report(1, now, 2, 100_000);
        later(1_000);
        submit(Specs.gpus(1));
        if (row(1).state() != JobState.PAUSING) {
            throw new AssertionError("nobody paused job 1: " + row(1));
        }
    }

    List<Long> submit(Specs... specs) {
        return get(desk.submit(ANN, jobs(specs), null));
    }

    static List<JobSpec> jobs(Specs... specs) {
        return Stream.of(specs).map(Specs::spec).toList();
    }

    /** The answer, after a turn. */
    <T> T get(CompletableFuture<T> answer) {
        turn();
        return answer.join();
    }

    Refusal refusal(CompletableFuture<?> answer) {
        turn();
        try {
            throw new AssertionError("granted: " + answer.join());
        } catch (CompletionException e) {
            if (e.getCause() instanceof Refusal refusal) {
                return refusal;
            }
            throw e;
        }
    }

    JobRow row(long id) {
        return store.job(id).orElseThrow();
    }

    List<String> history() {
        return store.lines().stream().map(Stage::text).toList();
    }

    private static String text(Line line) {
        return line.kind() + (line.jobId() < 0 ? "" : " " + line.jobId()) + " by " + line.actor();
    }
}
