package dev.fermata.live.learning;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.engine.EngineEvent;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CoRunStepTimesTest {
    private static final List<String> NO_NEIGHBOURS = List.of();

    private static EngineEvent.JobReport report(String key, long at, long step) {
        return new EngineEvent.JobReport(at, key, step, 0, "", Double.NaN);
    }

    private static CoRunStepTimes withSteps(
            CoRunStepTimes before, long from, long to, long firstStep, long stepMillis) {
        CoRunStepTimes now = before;
        for (long at = from, step = firstStep; at <= to; at += stepMillis, step++) {
            now = now.after(report("step", at, step));
        }
        return now;
    }

    @Test
    void stepTimesAreKeptPerNeighbours() {
        CoRunStepTimes alone = withSteps(CoRunStepTimes.NONE.withNeighbours(NO_NEIGHBOURS, 0), 0, 1000, 1, 100);
        CoRunStepTimes coRun = withSteps(alone.withNeighbours(List.of("b"), 1000), 1000, 3000, 11, 250);
        CoRunStepTimes again = withSteps(coRun.withNeighbours(NO_NEIGHBOURS, 3000), 3000, 3500, 20, 100);

        assertThat(again.medianMicros(NO_NEIGHBOURS)).isEqualTo(100_000);
        assertThat(again.medianMicros(List.of("b"))).isEqualTo(250_000);
        assertThat(again.coRunMicros()).isEqualTo(Map.of("b", 250_000L));
    }

    @Test
    void stepsWithUnknownNeighboursDoNotCount() {
        CoRunStepTimes unsure = withSteps(CoRunStepTimes.NONE.withNeighbours(null, 0), 0, 1000, 1, 100);
        assertThat(unsure.medianMicros(NO_NEIGHBOURS)).isEqualTo(-1);
        CoRunStepTimes few = withSteps(unsure.withNeighbours(List.of("b"), 1000), 1000, 1500, 10, 250);
        assertThat(few.medianMicros(List.of("b"))).as("two steps are too few").isEqualTo(-1);
    }

    /** A step during which a neighbour arrives counts for neither set of neighbours. */
    @Test
    void stepsAcrossANeighbourChangeDoNotCount() {
        CoRunStepTimes alone = withSteps(CoRunStepTimes.NONE.withNeighbours(NO_NEIGHBOURS, 0), 0, 1000, 1, 100)
                .withNeighbours(List.of("b"), 1050);
        CoRunStepTimes late = alone.after(report("step", 1040, 12)).after(report("step", 1900, 13));
        CoRunStepTimes next = withSteps(late, 2200, 3400, 14, 300);

        assertThat(next.medianMicros(List.of("b"))).isEqualTo(300_000);
        assertThat(next.earlier().get(NO_NEIGHBOURS))
                .as("nor does the last before")
                .hasSize(9);
    }

    @Test
    void checkpointTimeDoesNotCount() {
        CoRunStepTimes now = CoRunStepTimes.NONE.withNeighbours(NO_NEIGHBOURS, 0);
        for (long i = 1; i <= 10; i++) {
            long at = 10_000 * i;
            now = now.after(report("step", at, 2 * i))
                    .after(report("step", at + 100, 2 * i + 1))
                    .after(report("saving", at + 110, 2 * i + 1))
                    .after(report("saved", at + 9000, 2 * i + 1));
        }
        assertThat(now.current()).hasSize(10).containsOnly(100_000L);
    }

    /** Compared with a simulation that knows the exact step times: noise within a tenth, outliers, changes at any time. */
    @Test
    void medianMatchesTheTrueStepTimeInRandomScenarios() {
        for (long seed = 1; seed <= 50; seed++) {
            Random random = new Random(seed);
            CoRunStepTimes now = CoRunStepTimes.NONE;
            long at = 1_000;
            long step = 0;
            for (int change = 0; change < 8; change++) {
                List<String> coRun = change % 2 == 0 ? NO_NEIGHBOURS : List.of("b");
                double millis = change % 2 == 0 ? 50 : 90;
                now = now.withNeighbours(coRun, at - random.nextInt(20));
                for (int i = 0; i < 40; i++) {
                    double hiccup = random.nextInt(15) == 0 ? 20 : 1;
                    at += Math.round(millis * hiccup * (0.9 + 0.2 * random.nextDouble()));
                    step++;
                    if (random.nextInt(3) > 0) {
                        now = now.after(report("step", at, step));
                    }
                }
            }
            assertThat(now.medianMicros(NO_NEIGHBOURS)).as("seed %s", seed).isBetween(46_000L, 56_000L);
            assertThat(now.medianMicros(List.of("b"))).as("seed %s", seed).isBetween(82_000L, 100_000L);
        }
    }
}
