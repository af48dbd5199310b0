package dev.fermata.live.conductor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.live.engine.News;
import dev.fermata.live.learn.Figure;
import dev.fermata.live.learn.KindNotes;
import dev.fermata.live.learn.Measured;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The first of an unknown kind shows what such jobs need, while it goes on; where GPUs are short the others wait for that. */
class ProfilingTest {
    private static final long WAIT = 120_000;

    private final Stage stage = stage(1);

    private static Stage stage(int... gpus) {
        Stage stage = new Stage("fermata:pays=0", gpus);
        stage.settings = stage.settings.withProfileWait(WAIT);
        return stage.restart();
    }

    private static Specs job() {
        return Specs.gpus(1).time(3_600_000);
    }

    private static Measured figures(int peakMib, int busyPermille) {
        return new Measured(100, 200, -1, 300, 600, -1, -1, -1, 9_000, -1, -1, -1, -1, -1, 12, -1, 1_000)
                .withGpu(busyPermille, peakMib);
    }

    private static void shows(Stage stage, long job, Measured measured) {
        int attempt = Objects.requireNonNull(stage.engine.on.get(job)).attempt();
        stage.engine.tell(new News.Shown(job, attempt, measured));
        stage.later(10);
    }

    private static void runs(Stage stage, long... jobs) {
        for (long job : jobs) {
            assertThat(stage.row(job).state()).as("job %s", job).isEqualTo(JobState.STARTING);
            stage.engine.running(job);
        }
        stage.later(10);
    }

    private static void paused(Stage stage, long job, Measured measured) {
        stage.engine.left(job, Outcome.PAUSED, new Usage(600, 400, 0, 50, 0, 400), measured);
        stage.later(10);
        stage.later(10);
    }

    private static String explain(Stage stage, long job) {
        return stage.get(stage.desk().explain(job)).message();
    }

    private static KindNotes notes(Stage stage) {
        return stage.get(stage.desk().profiles()).values().iterator().next();
    }

    @Test
    void theFirstShowsItselfAndIsThenPlacedBesideTheNext() {
        stage.submit(job(), job());
        runs(stage, 1);
        assertThat(explain(stage, 1)).contains("it is being profiled");
        assertThat(explain(stage, 2))
                .contains("waits for the profile of its kind, which job 1 takes")
                .contains("119.99 s at most");

        shows(stage, 1, figures(20_000, 300));
        assertThat(stage.row(1).state()).isEqualTo(JobState.PAUSING);
        assertThat(stage.engine.orders).contains("pause 1.1");
        assertThat(stage.history()).contains("Shown 1 by engine", "Profiled 1 by policy");
        assertThat(explain(stage, 1)).contains("to be placed anew");

        paused(stage, 1, figures(20_500, 310));
        runs(stage, 1, 2);
        assertThat(stage.desk().gpus().get(0).jobs()).containsExactlyInAnyOrder(1L, 2L);
        assertThat(stage.row(1).preemptions())
                .as("it was not paused for anybody")
                .isZero();
        assertThat(stage.row(1).attempt()).isEqualTo(2);
        assertThat(notes(stage).spread(Figure.PEAK_MEMORY_MIB).count())
                .as("one attempt, one lesson")
                .isEqualTo(1);
        assertThat(notes(stage).peakMemoryMib()).isEqualTo(20_500);
        assertThat(explain(stage, 1)).doesNotContain("profiled");
    }

    @Test
    void whoIsAloneGoesOn() {
        stage.submit(job());
        runs(stage, 1);
        shows(stage, 1, figures(20_000, 300));
        assertThat(stage.row(1).state()).isEqualTo(JobState.RUNNING);
        assertThat(explain(stage, 1)).doesNotContain("profiled");
        assertThat(notes(stage).value(Figure.ITERATION_MICROS)).isEqualTo(9_000);

        stage.submit(job());
        assertThat(stage.row(2).state()).isEqualTo(JobState.PENDING);
        stage.engine.left(1, Outcome.COMPLETED, 0, "", figures(20_100, 300));
        stage.later(10);
        runs(stage, 2);
        assertThat(Objects.requireNonNull(stage.engine.on.get(2L)).promisedMib())
                .isEqualTo(20_100 + 20_100 / 20);
    }

    @Test
    void whereThereAreGpusForAllNobodyWaits() {
        Stage wide = stage(4);
        wide.submit(job(), job(), job(), job());
        runs(wide, 1, 2, 3, 4);
        shows(wide, 2, figures(20_000, 300));
        assertThat(wide.row(2).state()).isEqualTo(JobState.RUNNING);
        assertThat(wide.history()).doesNotContain("Profiled 2 by policy");
    }

    @Test
    void theOthersOfItsKindWaitThoughGpusAreFreeAndJobsOfOtherKindsDoNot() {
        Stage two = stage(2);
        two.submit(job(), job(), job());
        runs(two, 1);
        assertThat(two.row(2).state()).isEqualTo(JobState.PENDING);
        two.submit(Specs.gpus(1).time(3_600_000).running("python other.py"));
        runs(two, 4);

        shows(two, 1, figures(20_000, 300));
        paused(two, 1, figures(20_000, 300));
        runs(two, 1, 2);
        assertThat(two.desk().gpus().get(0).jobs()).containsExactlyInAnyOrder(1L, 2L);
    }

    @Test
    void nobodyWaitsLongerThanItIsWorth() {
        Stage two = stage(2);
        two.submit(job(), job(), job());
        runs(two, 1);
        two.later(WAIT - 100);
        assertThat(two.row(2).state()).isEqualTo(JobState.PENDING);
        two.later(100);
        two.later(1);
        runs(two, 2);
        assertThat(explain(two, 1)).doesNotContain("profiled");
        two.submit(job());
        two.engine.left(1, Outcome.COMPLETED, 0, "");
        two.later(10);
        two.engine.left(2, Outcome.COMPLETED, 0, "");
        two.later(10);
        runs(two, 3, 4);
        assertThat(two.history())
                .filteredOn(line -> line.startsWith("Profiled"))
                .isEmpty();
    }

    @Test
    void whoWaitedForOneThatFailedGoesOnUnprofiled() {
        Stage two = stage(2);
        two.submit(job(), job(), job());
        runs(two, 1);
        two.engine.left(1, Outcome.FAILED, 1, "");
        two.later(10);
        runs(two, 2, 3);
        assertThat(two.desk().gpus().get(0).jobs()).hasSize(1);
    }

    @Test
    void whoMayNotBePausedShowsItselfAndStays() {
        stage.submit(job().never(), job());
        runs(stage, 1);
        shows(stage, 1, figures(20_000, 300));
        assertThat(stage.row(1).state()).isEqualTo(JobState.RUNNING);
        assertThat(explain(stage, 2)).doesNotContain("profile");
    }

    @Test
    void aRestartInTheMidstForgetsNothing() {
        Stage two = stage(2);
        two.submit(job(), job(), job());
        runs(two, 1);
        two.restart();
        assertThat(two.row(2).state()).as("it still waits").isEqualTo(JobState.PENDING);
        assertThat(explain(two, 1)).contains("it is being profiled");
        shows(two, 1, figures(20_000, 300));
        two.restart();
        assertThat(two.row(1).state()).isEqualTo(JobState.PAUSING);
        assertThat(two.engine.orders.get(two.engine.orders.size() - 1)).isEqualTo("pause 1.1");
        paused(two, 1, figures(20_700, 300));
        runs(two, 1, 2, 3);
        assertThat(notes(two).spread(Figure.PEAK_MEMORY_MIB).count()).isEqualTo(1);
        assertThat(notes(two).peakMemoryMib()).isEqualTo(20_700);
    }

    @Test
    void runningAttemptsTeachWithoutItTooAndAgainWhenTheirMemoryGrows() {
        Stage plain = new Stage("fermata:pays=0", 1);
        plain.submit(job(), job());
        runs(plain, 1);
        shows(plain, 1, figures(20_000, 300));
        assertThat(plain.row(1).state()).as("nobody asked for profiles first").isEqualTo(JobState.RUNNING);
        shows(plain, 1, figures(30_000, 300));
        plain.restart();
        shows(plain, 1, figures(25_000, 300));
        assertThat(notes(plain).latest().get(Figure.PEAK_MEMORY_MIB)).isEqualTo(List.of(30_000L));
        plain.engine.left(1, Outcome.COMPLETED, 0, "", figures(26_000, 350));
        plain.later(10);
        runs(plain, 2);
        assertThat(Objects.requireNonNull(plain.engine.on.get(2L)).promisedMib())
                .isEqualTo(31_500);
        assertThat(notes(plain).latest().get(Figure.BUSY_PERMILLE)).isEqualTo(List.of(350L));
    }

    private static KindNotes known(Stage stage) {
        return stage.conductor()
                .ring()
                .experience
                .book
                .all()
                .values()
                .iterator()
                .next();
    }

    /** The store was slow: what it showed while it ran and its end come in one turn. It counts once, after a crash too. */
    @Test
    void whatIsShownAndTheEndInOneTurnAreOneLesson() {
        stage.submit(job());
        runs(stage, 1);
        stage.engine.tell(new News.Shown(1, 1, figures(20_000, 300)));
        stage.engine.left(1, Outcome.COMPLETED, 0, "", figures(20_100, 310));
        stage.later(10);
        KindNotes before = known(stage);
        assertThat(before.spread(Figure.PEAK_MEMORY_MIB).count()).isEqualTo(1);

        stage.restart();
        assertThat(known(stage)).isEqualTo(before);
    }

    /** A daemon that has just come back has not looked at the GPU yet, and then sees less than the one before it. */
    @Test
    void aLookThatSawLessForgetsNothing() {
        stage.submit(job());
        runs(stage, 1);
        shows(stage, 1, figures(20_000, 300));
        stage.restart();
        shows(stage, 1, figures(-1, -1));
        shows(stage, 1, figures(15_000, 300));
        assertThat(known(stage).spread(Figure.PEAK_MEMORY_MIB).count()).isEqualTo(1);
        assertThat(known(stage).peakMemoryMib()).isEqualTo(20_000);
        assertThat(known(stage).spread(Figure.BUSY_PERMILLE).count()).isEqualTo(1);
    }

    @Test
    void whatIsShownInTheTurnInWhichItBeginsIsHeard() {
        stage.submit(job());
        stage.engine.running(1);
        shows(stage, 1, figures(20_000, 300));
        assertThat(known(stage).peakMemoryMib()).isEqualTo(20_000);
    }
}
