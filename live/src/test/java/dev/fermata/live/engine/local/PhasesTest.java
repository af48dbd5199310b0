package dev.fermata.live.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.engine.News;
import dev.fermata.live.learn.Measured;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What reports say about the phases of an attempt. */
class PhasesTest {
    private static News.Report report(long at, String kind, long step, long took, long iterationMicros, long up) {
        return new News.Report(at, kind, step, 100, "", Double.NaN, 0, 0, took, iterationMicros, 0, up);
    }

    private static Phases after(List<News.Report> reports) {
        Phases phases = Phases.NONE;
        for (News.Report report : reports) {
            phases = phases.after(report, false);
        }
        return phases;
    }

    @Test
    void aLoadIsToldApart() {
        Phases phases = after(List.of(
                report(1_900, "hello", 0, -1, 0, 1_300),
                report(2_500, "loaded", 10, 600, 0, 0),
                report(3_700, "step", 11, -1, 0, 0),
                report(3_900, "step", 12, -1, 200_000, 0)));
        Measured shown = phases.measured(1_000, phases.readyMillis() - 1_000, -1, -1, false);

        assertThat(shown.startMillis()).isEqualTo(300);
        assertThat(shown.buildMillis()).isEqualTo(600);
        assertThat(shown.restoreMillis()).isEqualTo(600);
        assertThat(shown.warmupMillis()).isEqualTo(1_000);
        assertThat(shown.loadMillis()).isEqualTo(2_500);
    }

    @Test
    void whoSaysNothingOfIterationsIsTimedByReports() {
        Phases phases = after(List.of(
                report(1_000, "loaded", 0, -1, 0, 0),
                report(3_000, "step", 1, -1, 0, 0),
                report(3_500, "step", 2, -1, 0, 0),
                report(9_000, "step", 3, -1, 0, 0),
                report(10_000, "step", 5, -1, 0, 0)));

        assertThat(phases.iterationMicros()).isEqualTo(500_000);
        assertThat(phases.warmupMillis()).isEqualTo(1_500);
    }

    @Test
    void afterOneStepNobodyKnowsWhatIsUsual() {
        Phases phases = after(List.of(report(1_000, "loaded", 0, -1, 0, 0), report(3_000, "step", 1, -1, 0, 0)));

        assertThat(phases.warmupMillis()).isEqualTo(-1);
        assertThat(phases.readyMillis()).isEqualTo(1_000);
    }

    @Test
    void savesThatWereAskedForSayNothingAboutHowOftenItSaves() {
        Phases phases = after(List.of(
                report(1_000, "loaded", 0, -1, 0, 0),
                report(5_000, "saved", 4, 10, 0, 0),
                report(9_100, "saved", 8, 10, 0, 0)));

        assertThat(phases.after(report(9_300, "saved", 8, 10, 0, 0), true).measured(0, 0, 9_200, 200, true))
                .satisfies(shown -> {
                    assertThat(shown.checkpointEveryMillis()).isEqualTo(4_000);
                    assertThat(shown.saveMillis()).isEqualTo(100);
                    assertThat(shown.savedStep()).isEqualTo(8);
                });
    }

    @Test
    void aSaveAtItsEndSaysNothingAboutHowOftenItSaves() {
        Phases phases = after(List.of(report(1_000, "loaded", 0, -1, 0, 0), report(25_000, "saved", 100, 10, 0, 0)));
        assertThat(phases.measured(0, 0, -1, -1, false)).satisfies(shown -> {
            assertThat(shown.checkpointEveryMillis()).isEqualTo(-1);
            assertThat(shown.savedStep()).isEqualTo(100);
        });
    }

    @Test
    void whateverAJobClaimsNoFigureIsBelowNothing() {
        Random random = new Random(11);
        List<String> kinds = List.of("hello", "loaded", "step", "saving", "saved", "finished");
        for (int i = 0; i < 20_000; i++) {
            Phases phases = Phases.NONE;
            for (int n = random.nextInt(12); n > 0; n--) {
                phases = phases.after(
                        report(
                                random.nextInt(5_000),
                                kinds.get(random.nextInt(kinds.size())),
                                random.nextInt(5),
                                random.nextInt(3_000) - 1,
                                random.nextInt(2) * (long) random.nextInt(9_000_000),
                                random.nextInt(2) * (long) random.nextInt(9_000)),
                        random.nextBoolean());
            }
            Measured shown = phases.measured(1_000, random.nextInt(5_000), 3_000, random.nextInt(400) - 1, true);
            assertThat(List.of(
                            shown.startMillis(),
                            shown.buildMillis(),
                            shown.restoreMillis(),
                            shown.warmupMillis(),
                            shown.loadMillis(),
                            shown.pauseMillis(),
                            shown.saveMillis(),
                            shown.iterationMicros(),
                            shown.checkpointEveryMillis()))
                    .allMatch(value -> value >= -1);
        }
    }
}
