package dev.fermata.live.conductor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.engine.News;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StretchesTest {
    private static final List<String> ALONE = List.of();

    private static News.Report report(String kind, long at, long step) {
        return new News.Report(at, kind, step, 0, "", Double.NaN);
    }

    private static Stretches stepping(Stretches before, long from, long to, long firstStep, long stepMillis) {
        Stretches now = before;
        for (long at = from, step = firstStep; at <= to; at += stepMillis, step++) {
            now = now.after(report("step", at, step));
        }
        return now;
    }

    @Test
    void stepsAreToldApartByWhoIsThere() {
        Stretches alone = stepping(Stretches.NONE.enter(ALONE, 0), 0, 1000, 1, 100);
        Stretches beside = stepping(alone.enter(List.of("b"), 1000), 1000, 3000, 11, 250);
        Stretches again = stepping(beside.enter(ALONE, 3000), 3000, 3500, 20, 100);

        assertThat(again.micros(ALONE)).isEqualTo(100_000);
        assertThat(again.micros(List.of("b"))).isEqualTo(250_000);
        assertThat(again.pairs()).isEqualTo(Map.of("b", 250_000L));
    }

    @Test
    void whileNobodyIsSureNothingCounts() {
        Stretches unsure = stepping(Stretches.NONE.enter(null, 0), 0, 1000, 1, 100);
        assertThat(unsure.micros(ALONE)).isEqualTo(-1);
        Stretches few = stepping(unsure.enter(List.of("b"), 1000), 1000, 1500, 10, 250);
        assertThat(few.micros(List.of("b"))).as("two steps say nothing").isEqualTo(-1);
    }

    /** The step in which a neighbour comes is half of one kind and half of the other. */
    @Test
    void stepsAcrossAChangeDoNotCount() {
        Stretches alone =
                stepping(Stretches.NONE.enter(ALONE, 0), 0, 1000, 1, 100).enter(List.of("b"), 1050);
        Stretches late = alone.after(report("step", 1040, 12)).after(report("step", 1900, 13));
        Stretches next = stepping(late, 2200, 3400, 14, 300);

        assertThat(next.micros(List.of("b"))).isEqualTo(300_000);
        assertThat(next.closed().get(ALONE)).as("nor does the last before").hasSize(9);
    }

    @Test
    void aSaveIsNoStep() {
        Stretches now = Stretches.NONE.enter(ALONE, 0);
        for (long i = 1; i <= 10; i++) {
            long at = 10_000 * i;
            now = now.after(report("step", at, 2 * i))
                    .after(report("step", at + 100, 2 * i + 1))
                    .after(report("saving", at + 110, 2 * i + 1))
                    .after(report("saved", at + 9000, 2 * i + 1));
        }
        assertThat(now.open()).hasSize(10).containsOnly(100_000L);
    }

    /** Against a world that knows the truth at every millisecond: noise within a tenth, hiccups now and then, changes at any time. */
    @Test
    void inSeededWorldsTheMedianIsTheTruth() {
        for (long seed = 1; seed <= 50; seed++) {
            Random random = new Random(seed);
            Stretches now = Stretches.NONE;
            long at = 1_000;
            long step = 0;
            for (int change = 0; change < 8; change++) {
                List<String> beside = change % 2 == 0 ? ALONE : List.of("b");
                double millis = change % 2 == 0 ? 50 : 90;
                now = now.enter(beside, at - random.nextInt(20));
                for (int i = 0; i < 40; i++) {
                    double hiccup = random.nextInt(15) == 0 ? 20 : 1;
                    at += Math.round(millis * hiccup * (0.9 + 0.2 * random.nextDouble()));
                    step++;
                    if (random.nextInt(3) > 0) {
                        now = now.after(report("step", at, step));
                    }
                }
            }
            assertThat(now.micros(ALONE)).as("seed %s", seed).isBetween(46_000L, 56_000L);
            assertThat(now.micros(List.of("b"))).as("seed %s", seed).isBetween(82_000L, 100_000L);
        }
    }
}
