package dev.fermata.core.admit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Whole GPUs by weight, against giving them out one by one and against what fairness means. */
class WaterFillingTest {
    private static final int CASES = 20_000;

    /** One GPU after the other to whoever would have fewest for his weight. */
    private static int[] oneByOne(int amount, double[] weights, int[] given, int[] wants) {
        int[] now = given.clone();
        for (int left = amount; left > 0; left--) {
            int best = -1;
            for (int i = 0; i < now.length; i++) {
                double mine = (now[i] - given[i] + 1) / weights[i];
                if (now[i] < wants[i] && (best < 0 || mine < (now[best] - given[best] + 1) / weights[best])) {
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
    void isTheSameAsGivingOneAfterTheOther() {
        SplittableRandom random = new SplittableRandom(5);
        for (int k = 0; k < CASES; k++) {
            int n = 1 + random.nextInt(7);
            double[] weights = random.doubles(n).map(d -> Math.ceil(8 * d) / 2).toArray();
            int[] given = random.ints(n, 0, 5).toArray();
            int[] wants = random.ints(n, 0, 60).toArray();
            int amount = random.nextInt(120);
            int[] fast = given.clone();
            WaterFilling.pour(amount, weights, fast, wants);
            assertThat(fast)
                    .as(
                            "%d by %s on %s of %s",
                            amount, Arrays.toString(weights), Arrays.toString(given), Arrays.toString(wants))
                    .containsExactly(oneByOne(amount, weights, given, wants));
        }
    }

    @Test
    void nothingIsLeftWhileSomebodyWantsMoreAndNobodyGetsMoreThanHeWants() {
        SplittableRandom random = new SplittableRandom(6);
        for (int k = 0; k < CASES; k++) {
            int n = 1 + random.nextInt(9);
            double[] weights = random.doubles(n, 0.01, 1000).toArray();
            int[] wants = random.ints(n, 0, 5_000).toArray();
            int amount = random.nextInt(20_000);
            int[] given = new int[n];
            WaterFilling.pour(amount, weights, given, wants);
            assertThat(Arrays.stream(given).sum())
                    .isEqualTo(Math.min(amount, Arrays.stream(wants).sum()));
            for (int i = 0; i < n; i++) {
                assertThat(given[i]).isBetween(0, wants[i]);
                for (int j = 0; j < n; j++) {
                    if (given[j] < wants[j] && given[i] > 0) { // taking one from i for j would make it no fairer
                        assertThat(given[i] / weights[i]).isLessThanOrEqualTo((given[j] + 1) / weights[j] + 1e-9);
                    }
                }
            }
        }
    }

    @Test
    void twiceTheWeightIsTwiceTheShare() {
        int[] given = {0, 0, 0};
        WaterFilling.pour(70, new double[] {2, 1, 4}, given, new int[] {100, 100, 100});
        assertThat(given).containsExactly(20, 10, 40);
    }

    @Test
    void whatOneDoesNotWantGoesToTheOthers() {
        int[] given = {0, 0, 0};
        WaterFilling.pour(70, new double[] {2, 1, 4}, given, new int[] {100, 100, 7});
        assertThat(given).containsExactly(42, 21, 7);
    }
}
