package dev.fermata.core.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Whole GPUs by weight, against giving them out one by one and against what fairness means. */
class WaterFillingTest {
    private static final int CASES = 20_000;

    /** One GPU after the other to the one that has fewest for its weight. */
    private static int[] oneByOne(int amount, double[] weights, int[] given, int[] demands) {
        int[] now = given.clone();
        for (int left = amount; left > 0; left--) {
            int best = -1;
            for (int i = 0; i < now.length; i++) {
                double mine = (now[i] - given[i] + 1) / weights[i];
                if (now[i] < demands[i] && (best < 0 || mine < (now[best] - given[best] + 1) / weights[best])) {
                    best = i;
                }
            }
            if (best < 0) {
                return now;
            }
            now[best]++;
        }
        return now;
    }

    @Test
    void equalsGivingOneGpuAtATime() {
        SplittableRandom random = new SplittableRandom(5);
        for (int k = 0; k < CASES; k++) {
            int n = 1 + random.nextInt(7);
            double[] weights = random.doubles(n).map(d -> Math.ceil(8 * d) / 2).toArray();
            int[] given = random.ints(n, 0, 5).toArray();
            int[] demands = random.ints(n, 0, 60).toArray();
            int amount = random.nextInt(120);
            int[] fast = given.clone();
            WaterFilling.fill(amount, weights, fast, demands);
            assertThat(fast)
                    .as(
                            "%d by %s on %s of %s",
                            amount, Arrays.toString(weights), Arrays.toString(given), Arrays.toString(demands))
                    .containsExactly(oneByOne(amount, weights, given, demands));
        }
    }

    @Test
    void nothingIsLeftWhileDemandRemainsAndNoQueueExceedsItsDemand() {
        SplittableRandom random = new SplittableRandom(6);
        for (int k = 0; k < CASES; k++) {
            int n = 1 + random.nextInt(9);
            double[] weights = random.doubles(n, 0.01, 1000).toArray();
            int[] demands = random.ints(n, 0, 5_000).toArray();
            int amount = random.nextInt(20_000);
            int[] given = new int[n];
            WaterFilling.fill(amount, weights, given, demands);
            assertThat(Arrays.stream(given).sum())
                    .isEqualTo(Math.min(amount, Arrays.stream(demands).sum()));
            for (int i = 0; i < n; i++) {
                assertThat(given[i]).isBetween(0, demands[i]);
                for (int j = 0; j < n; j++) {
                    if (given[j] < demands[j] && given[i] > 0) { // taking one from i for j would make it no fairer
                        assertThat(given[i] / weights[i]).isLessThanOrEqualTo((given[j] + 1) / weights[j] + 1e-9);
                    }
                }
            }
        }
    }

    @Test
    void twiceTheWeightIsTwiceTheShare() {
        int[] given = {0, 0, 0};
        WaterFilling.fill(70, new double[] {2, 1, 4}, given, new int[] {100, 100, 100});
        assertThat(given).containsExactly(20, 10, 40);
    }

    @Test
    void unusedShareGoesToTheOthers() {
        int[] given = {0, 0, 0};
        WaterFilling.fill(70, new double[] {2, 1, 4}, given, new int[] {100, 100, 7});
        assertThat(given).containsExactly(42, 21, 7);
    }
}
