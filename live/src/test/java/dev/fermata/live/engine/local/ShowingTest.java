package dev.fermata.live.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.engine.News;
import dev.fermata.live.learn.Measured;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When an attempt that goes on has shown enough, and what of it is told. */
class ShowingTest {
    private static final long ORDERED = 1_000;
    private static final long BEGUN = 1_100;

    private final GpuUse use = new GpuUse();

    private static News.Report report(String kind, long at, long step) {
        return new News.Report(at, kind, step, 1_000, "", Double.NaN);
    }

    /** Loaded at 2 s, then a step every 100 ms from this one on. */
    private static Phases stepped(long first, int steps) {
        Phases phases =
                Phases.NONE.after(report("hello", 1_200, 0), false).after(report("loaded", 2_000, first), false);
        for (int i = 0; i < steps; i++) {
            phases = phases.after(report("step", 2_500 + 100L * i, first + 1 + i), false);
        }
        return phases;
    }

    private @Nullable Measured at(Showing showing, Phases phases, long now) {
        return showing.news(phases, use, ORDERED, BEGUN, now);
    }

    @Test
    void stepsAfterTheFirstOfThisAttemptCount() {
        Showing showing = new Showing(false);
        assertThat(at(showing, stepped(500, 10), 4_000))
                .as("resumed at step 500")
                .isNull();
        Measured shown = Objects.requireNonNull(at(showing, stepped(500, 11), 4_000));

        assertThat(shown.iterationMicros()).isEqualTo(100_000);
        assertThat(shown.loadMillis()).isEqualTo(1_400);
        assertThat(shown.startMillis()
                        + shown.buildMillis()
                        + Math.max(0, shown.restoreMillis())
                        + shown.warmupMillis())
                .isEqualTo(shown.loadMillis());
        assertThat(shown.pauseMillis()).isEqualTo(-1);
        assertThat(at(showing, stepped(500, 90), 9_000)).as("told once").isNull();
    }

    @Test
    void onRealGpusItMustHaveBeenSeenToo() {
        Showing showing = new Showing(true);
        assertThat(at(showing, stepped(0, 50), 9_000)).isNull();
        for (int i = 0; i < 3; i++) {
            use.holds(7_000);
            use.busy(400);
        }
        Measured shown = Objects.requireNonNull(at(showing, stepped(0, 50), 9_000));
        assertThat(shown.peakMemoryMib()).isEqualTo(7_000);
        assertThat(shown.busyPermille()).isEqualTo(400);

        use.holds(7_300);
        assertThat(at(showing, stepped(0, 60), 10_000)).as("hardly more").isNull();
        use.holds(9_000);
        assertThat(Objects.requireNonNull(at(showing, stepped(0, 70), 11_000)).peakMemoryMib())
                .isEqualTo(9_000);
        assertThat(at(showing, stepped(0, 80), 12_000)).isNull();
    }

    @Test
    void whoSaysNothingIsKnownByItsGpuAfterAMinuteAndWithoutOneNotAtAll() {
        use.holds(5_000);
        use.busy(900);
        Showing seen = new Showing(true);
        assertThat(at(seen, Phases.NONE, BEGUN + 59_999)).isNull();
        Measured shown = Objects.requireNonNull(at(seen, Phases.NONE, BEGUN + 60_000));
        assertThat(shown.peakMemoryMib()).isEqualTo(5_000);
        assertThat(shown.busyPermille()).isEqualTo(900);
        assertThat(shown.iterationMicros()).isEqualTo(-1);

        assertThat(new Showing(false).news(Phases.NONE, new GpuUse(), ORDERED, BEGUN, BEGUN + 60_000))
                .isNull();
    }

    @Test
    void whoStillLoadsHasShownNothing() {
        Phases loading = Phases.NONE.after(report("hello", 1_200, 0), false);
        assertThat(at(new Showing(true), loading, BEGUN + 600_000)).isNull();
    }

    @Test
    void aRealJobIsToldOnceWhileItRunsAndOnceMoreAfterARestart(@TempDir Path data) {
        String trainer = """
                #!/usr/bin/env python3
                import fermata, time
                fermata.gpu(memory_mib=4321, busy=0.25)
                for step in fermata.steps(100000):
                    time.sleep(0.02)
                """;
        try (Stage stage = new Stage(data)) {
            var launch = stage.run(1, new SpecDraft(trainer));
            Stage.until(() -> !shown(stage).isEmpty());
            Measured first = shown(stage).get(0);
            assertThat(first.peakMemoryMib()).isEqualTo(4321);
            assertThat(first.busyPermille()).isEqualTo(250);
            assertThat(first.step()).isGreaterThanOrEqualTo(10);
            assertThat(first.iterationMicros()).isBetween(20_000L, 2_000_000L);

            stage.reopen(launch);
            Stage.until(() -> !shown(stage).isEmpty());
            assertThat(shown(stage)).hasSize(1);
            stage.engine.pause(1, 1, 20_000);
            assertThat(stage.measured(launch).peakMemoryMib()).isEqualTo(4321);
        }
    }

    private static List<Measured> shown(Stage stage) {
        return stage.told.stream()
                .filter(News.Shown.class::isInstance)
                .map(news -> ((News.Shown) news).measured())
                .toList();
    }
}
