package dev.fermata.live.learning;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.ExhaustedResource;
import dev.fermata.live.loop.FaultInjectingStore;
import dev.fermata.live.loop.FaultInjectingStore.Fault;
import dev.fermata.live.loop.FaultInjectingStore.InjectedCrash;
import dev.fermata.live.loop.LoopFixture;
import dev.fermata.live.loop.LoopSettings;
import dev.fermata.live.loop.ManualEngine;
import dev.fermata.live.loop.MonotonicClock;
import dev.fermata.live.loop.SchedulerLoop;
import dev.fermata.live.metrics.DaemonMetrics;
import dev.fermata.live.profile.AttemptMeasurements;
import dev.fermata.live.profile.ProfileKey;
import dev.fermata.live.profile.ProfileMetric;
import dev.fermata.live.profile.ProfileSamples;
import dev.fermata.live.profile.ProfileStore;
import dev.fermata.live.service.DefaultSchedulerService;
import dev.fermata.live.service.SchedulerService;
import dev.fermata.live.spec.JobFileParser;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.store.StoreFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A daemon that crashes at any point learns the same as one that never crashes. Two daemons on real stores run the same
 * random jobs; one of them crashes before, between and after its transactions.
 */
class LearningAcrossCrashesTest {
    private static final int STEPS = 120;
    private static final List<String> COMMANDS =
            List.of("python train.py --batch-size 64", "python eval.py", "./run.sh");
    private static final Fault[] FAULTS = Fault.values();

    @TempDir
    Path folder;

    /** A scheduler loop on a real store; the engine outlives it. */
    private static final class TestDaemon implements AutoCloseable {
        private final Path folder;
        private final int snapshotEveryEntries;
        final ManualEngine engine = new ManualEngine(Topology.builder()
                .node(LoopFixture.GPU_TYPE, 4)
                .node(LoopFixture.GPU_TYPE, 4)
                .build());
        private FaultInjectingStore store;
        private SchedulerLoop loop;
        private long now = 1_000_000;

        TestDaemon(Path folder, int snapshotEveryEntries) {
            this.folder = folder;
            this.snapshotEveryEntries = snapshotEveryEntries;
            store = new FaultInjectingStore(StoreFactory.open("sqlite", folder));
            loop = startLoop();
        }

        private SchedulerLoop startLoop() {
            SchedulerLoop another = new SchedulerLoop(
                    store,
                    engine,
                    PolicySpec.parse("fifo"),
                    LoopSettings.DEFAULT.withSnapshotEveryEntries(snapshotEveryEntries),
                    false,
                    new MonotonicClock(() -> now, () -> 0),
                    new DaemonMetrics());
            another.lead();
            return another;
        }

        SchedulerService service() {
            return new DefaultSchedulerService(loop);
        }

        void runCycle() {
            now += 100;
            loop.runCycle(now);
        }

        /** A crash: only the store and the jobs remain. */
        void restart() {
            store.close();
            store = new FaultInjectingStore(StoreFactory.open("sqlite", folder));
            loop = startLoop();
            runCycle();
            runCycle(); // an attempt that was never started is lost first, then started
        }

        /** Runs a step until it is durable, with restarts after simulated crashes. */
        void runWithFault(Fault fault, Consumer<TestDaemon> step) {
            store.next = fault;
            try {
                step.accept(this);
                store.next = Fault.NONE;
            } catch (InjectedCrash crash) {
                restart();
                if (!crash.durable) {
                    step.accept(this);
                }
            }
        }

        ProfileStore profileStore() {
            return loop.cycle().profiles.profileStore;
        }

        @Override
        public void close() {
            loop.close();
            store.close();
        }
    }

    /** The end of an attempt; a preempted job starts another one. */
    private record AttemptEnd(long job, Outcome outcome, Usage usage, AttemptMeasurements measured) {
        int attempt(ManualEngine engine) {
            return Objects.requireNonNull(engine.onGpus.get(job)).attempt();
        }

        EngineEvent toEvent(ManualEngine engine) {
            ExhaustedResource exhausted =
                    outcome == Outcome.OOM ? ExhaustedResource.GPU_MEMORY : ExhaustedResource.NONE;
            EngineEvent.AttemptExit exit =
                    new EngineEvent.AttemptExit(outcome == Outcome.COMPLETED ? 0 : 1, 0, "", exhausted);
            return new EngineEvent.StateChanged(
                    new Event.AttemptEnded(job, attempt(engine), outcome, usage), exit, measured);
        }
    }

    private static AttemptMeasurements randomMeasurements(Random random) {
        long[] v = new long[8];
        for (int i = 0; i < v.length; i++) {
            v[i] = random.nextInt(3) == 0 ? -1 : random.nextInt(5_000);
        }
        return random.nextInt(8) == 0
                ? AttemptMeasurements.NONE
                : AttemptMeasurements.NONE
                        .withLoad(new AttemptMeasurements.LoadTimes(v[0], v[1], v[2], -1, v[3]))
                        .withPreemption(new AttemptMeasurements.PreemptionTimes(v[4], -1, v[4] < 0 ? -1 : v[5] & 1))
                        .withUse(new AttemptMeasurements.ResourceUse(v[6], v[7] % 1000, v[5]))
                        .withSteps(new AttemptMeasurements.Steps(random.nextInt(20), -1, 50));
    }

    private static List<JobSpec> randomSpecs(Random random) {
        List<JobSpec> specs = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(3); i++) {
            specs.addAll(JobFileParser.parse(JsonNodeFactory.instance
                    .objectNode()
                    .put("name", "job")
                    .put("gpus", 1 + random.nextInt(2))
                    .put("run", COMMANDS.get(random.nextInt(COMMANDS.size())))));
        }
        return specs;
    }

    /** The next step of both daemons, in which the same jobs hold GPUs. */
    private static Consumer<TestDaemon> randomStep(Random random, List<Long> on, List<ProfileKey> keys) {
        if (on.isEmpty()) {
            List<JobSpec> specs = randomSpecs(random);
            return daemon -> {
                var unused = daemon.service().submit(LoopFixture.ANN, specs, null);
                daemon.runCycle();
            };
        }
        if (random.nextInt(6) == 0 && !keys.isEmpty()) {
            ProfileKey key = keys.get(random.nextInt(keys.size()));
            long override = random.nextInt(9_000);
            boolean overrides = random.nextBoolean();
            UnaryOperator<ProfileSamples> change = overrides
                    ? samples -> samples.withOverrides(Map.of(ProfileMetric.PREEMPT, override))
                    : samples -> ProfileSamples.NONE;
            List<AttemptEnd> ends = random.nextBoolean() ? List.of() : randomEnds(random, on);
            return daemon -> {
                var unused = daemon.service()
                        .updateProfiles(LoopFixture.ANN, overrides ? "profiles" : "forget", Map.of(key, change));
                sendEnds(ends, daemon);
            };
        }
        List<AttemptEnd> ends = randomEnds(random, on);
        return daemon -> sendEnds(ends, daemon);
    }

    private static List<AttemptEnd> randomEnds(Random random, List<Long> on) {
        Outcome[] outcomes = {Outcome.COMPLETED, Outcome.FAILED, Outcome.PREEMPTED, Outcome.OOM, Outcome.CANCELLED};
        List<AttemptEnd> ends = new ArrayList<>();
        for (long job : on) {
            if (random.nextInt(4) > 0) {
                Outcome outcome = outcomes[random.nextInt(outcomes.length)];
                Usage usage = new Usage(0, random.nextInt(120_000), 0, 0, 0, 0);
                ends.add(new AttemptEnd(job, outcome, usage, randomMeasurements(random)));
            }
        }
        return ends;
    }

    private static void sendEnds(List<AttemptEnd> ends, TestDaemon daemon) {
        List<EngineEvent> update =
                ends.stream().map(end -> end.toEvent(daemon.engine)).toList();
        Map<Long, Integer> leaving = new TreeMap<>();
        ends.forEach(end -> leaving.put(end.job(), end.attempt(daemon.engine)));
        update.forEach(daemon.engine::send);
        try {
            daemon.runCycle();
        } catch (InjectedCrash crash) {
            if (crash.durable) {
                removeEnded(leaving, daemon);
            }
            throw crash;
        }
        removeEnded(leaving, daemon);
    }

    private static void removeEnded(Map<Long, Integer> leaving, TestDaemon daemon) {
        leaving.forEach((job, attempt) -> daemon.engine.onGpus.computeIfPresent(
                job, (id, launch) -> launch.attempt() == attempt ? null : launch));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void profilesAreEqualAfterCrashes(int seed) {
        Random random = new Random(seed);
        Random faults = new Random(-seed);
        int crashes = 0;
        try (TestDaemon calm = new TestDaemon(folder.resolve("calm"), 1_000_000);
                TestDaemon unlucky = new TestDaemon(folder.resolve("unlucky"), 5 + 20 * seed)) {
            for (int i = 0; i < STEPS; i++) {
                List<Long> on = List.copyOf(calm.engine.onGpus.keySet());
                assertThat(unlucky.engine.onGpus.keySet()).containsExactlyElementsOf(on);
                Consumer<TestDaemon> step = randomStep(
                        random,
                        on,
                        List.copyOf(calm.profileStore().all().keySet().stream()
                                .sorted(Comparator.comparing(ProfileKey::id))
                                .toList()));
                calm.runWithFault(Fault.NONE, step);
                Fault fault = faults.nextBoolean() ? Fault.NONE : FAULTS[faults.nextInt(FAULTS.length)];
                SchedulerLoop before = unlucky.loop;
                unlucky.runWithFault(fault, step);
                crashes += before == unlucky.loop ? 0 : 1;
                assertSameProfiles(calm.profileStore(), unlucky.profileStore(), "step " + i + " after " + fault);
            }
            unlucky.loop.close(); // a clean stop
            unlucky.restart();
            assertSameProfiles(calm.profileStore(), unlucky.profileStore(), "after a clean stop");
        }
        assertThat(crashes).isGreaterThan(10);
    }

    private static void assertSameProfiles(ProfileStore calm, ProfileStore unlucky, String when) {
        assertThat(unlucky.all()).as(when).isEqualTo(calm.all());
        for (ProfileKey key : calm.all().keySet()) {
            assertThat(unlucky.estimate(key)).as(when).isEqualTo(calm.estimate(key));
            assertThat(unlucky.samples(key.programKey())).as(when).isEqualTo(calm.samples(key.programKey()));
        }
    }
}
