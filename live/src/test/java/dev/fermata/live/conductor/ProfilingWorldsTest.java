package dev.fermata.live.conductor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.News;
import dev.fermata.live.learn.Figure;
import dev.fermata.live.learn.KindNotes;
import dev.fermata.live.learn.Measured;
import dev.fermata.live.store.JobRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Jobs of unknown kinds that run, show themselves or not, fail, and daemons that die: what must hold all the time. */
class ProfilingWorldsTest {
    private static final long WAIT = 20_000;
    private static final int JOBS = 40;
    private static final int KINDS = 5;
    private static final int MOST_TURNS = 5_000;

    private static final int SEEDS = 12;

    private final Map<Long, Integer> running = new HashMap<>();
    private final Set<String> seen = new HashSet<>();
    private int attempts;

    @Test
    void whatMustHoldHoldsAndEverythingHappens() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            running.clear();
            attempts = 0;
            try {
                live(seed);
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + e, e);
            }
        }
        assertThat(seen).contains("Profiled", "Shown", "shared", "PROFILE_PENDING");
    }

    private void live(long seed) {
        Random random = new Random(seed);
        Stage stage = new Stage(random.nextBoolean() ? "fermata:pays=0" : "xonar", 1 + random.nextInt(4));
        stage.settings = stage.settings.withProfileWait(WAIT).withImageEveryLines(1 + random.nextInt(60));
        stage.restart();
        int submitted = 0;
        int turns = 0;
        while (submitted < JOBS || !live(stage, submitted).isEmpty()) {
            assertThat(turns++).as("turns").isLessThan(MOST_TURNS);
            if (submitted < JOBS && random.nextInt(3) == 0) {
                Specs job = Specs.gpus(1).running("python train" + random.nextInt(KINDS) + ".py");
                stage.submit(random.nextInt(6) == 0 ? job.never() : job);
                submitted++;
            }
            happen(stage, random);
            stage.later(1 + random.nextInt(2_000));
            if (random.nextInt(25) == 0) {
                stage.restart();
            }
            check(stage, submitted);
        }
        assertThat(stage.history()).filteredOn(line -> line.startsWith("Left")).hasSize(attempts);
        stage.history().forEach(line -> seen.add(line.substring(0, line.indexOf(' '))));
        for (KindNotes notes : stage.get(stage.desk().profiles()).values()) {
            assertThat(notes.spread(Figure.PEAK_MEMORY_MIB).count()).isLessThanOrEqualTo(attempts);
        }
    }

    private static List<JobRow> live(Stage stage, int submitted) {
        List<JobRow> live = new ArrayList<>();
        for (long id = 1; id <= submitted; id++) {
            if (!stage.row(id).state().isFinal()) {
                live.add(stage.row(id));
            }
        }
        return live;
    }

    private static Measured figures(Random random) {
        return new Measured(100, 200, -1, 300, 600, -1, -1, -1, 9_000, -1, -1, -1, -1, -1, 12, -1, 1_000)
                .withGpu(1 + random.nextInt(999), 1_000 + random.nextInt(60_000));
    }

    /** Something happens to some of those on GPUs. */
    private void happen(Stage stage, Random random) {
        for (Launch launch : List.copyOf(stage.engine.on.values())) {
            long job = launch.jobId();
            JobState state = stage.row(job).state();
            boolean runs = running.getOrDefault(job, 0) == launch.attempt();
            if (!runs && random.nextInt(2) == 0) {
                running.put(job, launch.attempt());
                stage.engine.running(job);
            } else if (runs && state == JobState.PAUSING && random.nextInt(3) == 0) {
                leaves(stage, job, random.nextInt(4) == 0 ? Outcome.LOST : Outcome.PAUSED, random);
            } else if (runs && random.nextInt(8) == 0) {
                stage.engine.tell(new News.Shown(job, launch.attempt(), figures(random)));
            } else if (runs && state == JobState.RUNNING && random.nextInt(12) == 0) {
                leaves(stage, job, random.nextInt(4) == 0 ? Outcome.FAILED : Outcome.COMPLETED, random);
            }
        }
    }

    private void leaves(Stage stage, long job, Outcome outcome, Random random) {
        attempts++;
        Measured shown = random.nextInt(3) == 0 ? Measured.NOTHING : figures(random);
        stage.engine.left(job, outcome, new Usage(1, 2, 0, 0, 0, outcome == Outcome.PAUSED ? 2 : 0), shown);
    }

    private void check(Stage stage, int submitted) {
        for (GpuState gpu : stage.desk().gpus()) {
            List<Integer> promises = new ArrayList<>();
            for (long job : gpu.jobs()) {
                promises.add(Objects.requireNonNull(stage.engine.on.get(job)).promisedMib());
            }
            if (promises.size() > 1) {
                seen.add("shared");
                assertThat(promises).as("who shares GPU %s is known", gpu.gpu()).doesNotContain(0);
                assertThat(promises.stream().mapToInt(Integer::intValue).sum())
                        .isLessThanOrEqualTo(Stage.TYPE.memoryMib());
            }
        }
        for (JobRow row : live(stage, submitted)) {
            if (row.state() == JobState.PENDING) {
                Explanation why = stage.get(stage.desk().explain(row.id()));
                seen.add(why.reason());
                if (why.reason().equals("PROFILE_PENDING")) {
                    long first = ((Number) Objects.requireNonNull(why.evidence().get("profiledBy"))).longValue();
                    Launch launch = stage.engine.on.get(first);
                    assertThat(launch)
                            .as("job %s, whose profile is waited for, runs", first)
                            .isNotNull();
                    assertThat((Double) why.evidence().get("expectedToEndInSeconds"))
                            .isBetween(0.0, WAIT / 1000.0);
                }
            }
        }
    }
}
