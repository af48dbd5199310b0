package dev.fermata.live.conductor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.live.conductor.FlakyStore.Crash;
import dev.fermata.live.conductor.FlakyStore.Mishap;
import dev.fermata.live.engine.News;
import dev.fermata.live.engine.Shortage;
import dev.fermata.live.learn.Figure;
import dev.fermata.live.learn.Kind;
import dev.fermata.live.learn.KindBook;
import dev.fermata.live.learn.KindNotes;
import dev.fermata.live.learn.Measured;
import dev.fermata.live.metrics.Meters;
import dev.fermata.live.spec.JobFile;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.store.Stores;
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
 * A daemon that crashes at any point knows the same as one that never did: two of them on real stores live through the same random jobs, and
 * one of them dies before, between and after its transactions.
 */
class LearningThroughCrashesTest {
    private static final int STEPS = 120;
    private static final List<String> COMMANDS =
            List.of("python train.py --batch-size 64", "python eval.py", "./run.sh");
    private static final Mishap[] MISHAPS = Mishap.values();

    @TempDir
    Path folder;

    /** A conductor on a real store; the engine outlives it. */
    private static final class Daemon implements AutoCloseable {
        private final Path folder;
        private final int imageEveryLines;
        final HandEngine engine = new HandEngine(
                Topology.builder().node(Stage.TYPE, 4).node(Stage.TYPE, 4).build());
        private FlakyStore store;
        private Conductor conductor;
        private long now = 1_000_000;

        Daemon(Path folder, int imageEveryLines) {
            this.folder = folder;
            this.imageEveryLines = imageEveryLines;
            store = new FlakyStore(Stores.open("sqlite", folder));
            conductor = begun();
        }

        private Conductor begun() {
            Conductor another = new Conductor(
                    store,
                    engine,
                    PolicySpec.parse("fifo"),
                    ConductorSettings.DEFAULT.withImageEveryLines(imageEveryLines),
                    false,
                    new SteadyClock(() -> now, () -> 0),
                    new Meters());
            another.lead();
            return another;
        }

        void turn() {
            now += 100;
            try {
                conductor.turn(now);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Nothing of it is left but the store and the jobs. */
        void restart() {
            store.close();
            store = new FlakyStore(Stores.open("sqlite", folder));
            conductor = begun();
            turn();
            turn(); // who was to be started and never was is lost first, and started then
        }

        /** Does something, whatever happens meanwhile; all of it is durable in the end. */
        void through(Mishap mishap, Consumer<Daemon> step) {
            store.next = mishap;
            try {
                step.accept(this);
                store.next = Mishap.NONE;
            } catch (Crash crash) {
                restart();
                if (!crash.durable) {
                    step.accept(this);
                }
            }
        }

        KindBook book() {
            return conductor.ring().experience.book;
        }

        @Override
        public void close() {
            conductor.close();
            store.close();
        }
    }

    /** An attempt leaves like this; of those that are paused another begins. */
    private record End(long job, Outcome outcome, Usage usage, Measured measured) {
        int attempt(HandEngine engine) {
            return Objects.requireNonNull(engine.on.get(job)).attempt();
        }

        News news(HandEngine engine) {
            Shortage shortage = outcome == Outcome.OOM ? Shortage.GPU_MEMORY : Shortage.NONE;
            News.Exit exit = new News.Exit(outcome == Outcome.COMPLETED ? 0 : 1, 0, "", shortage);
            return new News.Happened(new Event.Left(job, attempt(engine), outcome, usage), exit, measured);
        }
    }

    private static Measured shown(Random random) {
        long[] v = new long[8];
        for (int i = 0; i < v.length; i++) {
            v[i] = random.nextInt(3) == 0 ? -1 : random.nextInt(5_000);
        }
        return random.nextInt(8) == 0
                ? Measured.NOTHING
                : new Measured(
                        v[0],
                        v[1],
                        v[2],
                        -1,
                        v[3],
                        v[4],
                        -1,
                        v[4] < 0 ? -1 : v[5] & 1,
                        v[6],
                        v[7] % 1000,
                        v[5],
                        -1,
                        -1,
                        -1,
                        random.nextInt(20),
                        -1,
                        50);
    }

    private static List<JobSpec> specs(Random random) {
        List<JobSpec> specs = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(3); i++) {
            specs.addAll(JobFile.read(JsonNodeFactory.instance
                    .objectNode()
                    .put("name", "job")
                    .put("gpus", 1 + random.nextInt(2))
                    .put("run", COMMANDS.get(random.nextInt(COMMANDS.size())))));
        }
        return specs;
    }

    /** What happens next in both worlds, in which the same jobs are on GPUs. */
    private static Consumer<Daemon> step(Random random, List<Long> on, List<Kind> kinds) {
        if (on.isEmpty()) {
            List<JobSpec> specs = specs(random);
            return daemon -> {
                var unused = daemon.conductor.desk().submit(Stage.ANN, specs, null);
                daemon.turn();
            };
        }
        if (random.nextInt(6) == 0 && !kinds.isEmpty()) {
            Kind kind = kinds.get(random.nextInt(kinds.size()));
            long word = random.nextInt(9_000);
            boolean says = random.nextBoolean();
            UnaryOperator<KindNotes> change =
                    says ? notes -> notes.saying(Map.of(Figure.PAUSE, word)) : notes -> KindNotes.NONE;
            List<End> ends = random.nextBoolean() ? List.of() : ends(random, on);
            return daemon -> {
                var unused =
                        daemon.conductor.desk().retell(Stage.ANN, says ? "profiles" : "forget", Map.of(kind, change));
                tell(ends, daemon);
            };
        }
        List<End> ends = ends(random, on);
        return daemon -> tell(ends, daemon);
    }

    private static List<End> ends(Random random, List<Long> on) {
        Outcome[] outcomes = {Outcome.COMPLETED, Outcome.FAILED, Outcome.PAUSED, Outcome.OOM, Outcome.CANCELLED};
        List<End> ends = new ArrayList<>();
        for (long job : on) {
            if (random.nextInt(4) > 0) {
                Outcome outcome = outcomes[random.nextInt(outcomes.length)];
                Usage usage = new Usage(0, random.nextInt(120_000), 0, 0, 0, 0);
                ends.add(new End(job, outcome, usage, shown(random)));
            }
        }
        return ends;
    }

    private static void tell(List<End> ends, Daemon daemon) {
        List<News> news = ends.stream().map(end -> end.news(daemon.engine)).toList();
        Map<Long, Integer> leaving = new TreeMap<>();
        ends.forEach(end -> leaving.put(end.job(), end.attempt(daemon.engine)));
        news.forEach(daemon.engine::tell);
        try {
            daemon.turn();
        } catch (Crash crash) {
            if (crash.durable) {
                gone(leaving, daemon);
            }
            throw crash;
        }
        gone(leaving, daemon);
    }

    private static void gone(Map<Long, Integer> leaving, Daemon daemon) {
        leaving.forEach((job, attempt) ->
                daemon.engine.on.computeIfPresent(job, (id, launch) -> launch.attempt() == attempt ? null : launch));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void theSameIsKnown(int seed) {
        Random random = new Random(seed);
        Random mishaps = new Random(-seed);
        int crashes = 0;
        try (Daemon calm = new Daemon(folder.resolve("calm"), 1_000_000);
                Daemon unlucky = new Daemon(folder.resolve("unlucky"), 5 + 20 * seed)) {
            for (int i = 0; i < STEPS; i++) {
                List<Long> on = List.copyOf(calm.engine.on.keySet());
                assertThat(unlucky.engine.on.keySet()).containsExactlyElementsOf(on);
                Consumer<Daemon> step = step(
                        random,
                        on,
                        List.copyOf(calm.book().all().keySet().stream()
                                .sorted(Comparator.comparing(Kind::id))
                                .toList()));
                calm.through(Mishap.NONE, step);
                Mishap mishap = mishaps.nextBoolean() ? Mishap.NONE : MISHAPS[mishaps.nextInt(MISHAPS.length)];
                Conductor before = unlucky.conductor;
                unlucky.through(mishap, step);
                crashes += before == unlucky.conductor ? 0 : 1;
                assertSame(calm.book(), unlucky.book(), "step " + i + " after " + mishap);
            }
            unlucky.conductor.close(); // in good order
            unlucky.restart();
            assertSame(calm.book(), unlucky.book(), "after a clean stop");
        }
        assertThat(crashes).isGreaterThan(10);
    }

    private static void assertSame(KindBook calm, KindBook unlucky, String when) {
        assertThat(unlucky.all()).as(when).isEqualTo(calm.all());
        for (Kind kind : calm.all().keySet()) {
            assertThat(unlucky.knowledge(kind)).as(when).isEqualTo(calm.knowledge(kind));
            assertThat(unlucky.notes(kind.anywhere())).as(when).isEqualTo(calm.notes(kind.anywhere()));
        }
    }
}
