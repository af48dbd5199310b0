package dev.fermata.core.policy.market;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ClearingTest {
    @ParameterizedTest
    @EnumSource(Clearing.ClearingMethod.class)
    void theJobThatLosesLessGivesWay(Clearing.ClearingMethod method) {
        // the first prefers type 0 by 1, the second by 5: the first takes type 1
        double[][] worth = {{9, 8}, {10, 5}};
        int[][] division = new int[2][2];

        Clearing market = method.create();
        assertThat(market.clear(worth, new int[] {1, 1}, new int[] {1, 1}, division))
                .isTrue();

        assertThat(division).isDeepEqualTo(new int[][] {{0, 1}, {1, 0}});
        assertThat(market.price(0) - market.price(1)).isBetween(1.0 - 1e-4, 5.0 + 1e-4);
    }

    @ParameterizedTest
    @EnumSource(Clearing.ClearingMethod.class)
    void whatIsForbiddenIsNeverGiven(Clearing.ClearingMethod method) {
        double[][] worth = {{Clearing.FORBIDDEN, 1}, {3, 3}};
        int[][] division = new int[2][2];

        assertThat(method.create().clear(worth, new int[] {2, 1}, new int[] {1, 2}, division))
                .isTrue();
        assertThat(division).isDeepEqualTo(new int[][] {{0, 2}, {1, 0}});
        assertThat(method.create().clear(worth, new int[] {2, 1}, new int[] {2, 1}, division))
                .isFalse();
        assertThat(method.create().clear(worth, new int[] {1, 3}, new int[] {2, 1}, division))
                .isFalse();
    }

    @Test
    void bothMethodsReachTheSameOptimum() {
        Random random = new Random(11);
        Clearing jv = Clearing.ClearingMethod.JV.create();
        Clearing auction = Clearing.ClearingMethod.AUCTION.create();
        for (int round = 0; round < 400; round++) {
            int jobs = 1 + random.nextInt(4);
            int types = 1 + random.nextInt(4);
            int[] capacity = random.ints(types, 1, 4).toArray();
            int[] sizes = random.ints(jobs, 0, 3).toArray();
            double[][] worth = new double[jobs][types];
            for (double[] row : worth) {
                for (int t = 0; t < types; t++) {
                    row[t] = random.nextInt(8) == 0 ? Clearing.FORBIDDEN : random.nextInt(1001);
                }
            }
            worth[0][0] = 1000; // the auction counts in millionths of the greatest: whole numbers stay whole
            double best = best(worth, sizes, capacity, 0, sizes[0], 0);
            int[][] first = new int[jobs][types];
            int[][] second = new int[jobs][types];
            assertThat(jv.clear(worth, sizes, capacity, first)).isEqualTo(best > Double.NEGATIVE_INFINITY);
            if (best > Double.NEGATIVE_INFINITY) {
                assertThat(auction.clear(worth, sizes, capacity, second)).isTrue();
                assertThat(total(worth, first)).as("jv, round %d", round).isCloseTo(best, within(1e-9));
                assertThat(total(worth, second)).as("auction, round %d", round).isCloseTo(best, within(1e-9));
                noJobPrefersOtherWorkersAtThesePrices(jv, worth, first);
            }
        }
    }

    private static void noJobPrefersOtherWorkersAtThesePrices(Clearing market, double[][] worth, int[][] division) {
        for (int i = 0; i < worth.length; i++) {
            for (int t = 0; t < worth[i].length; t++) {
                for (int u = 0; division[i][t] > 0 && u < worth[i].length; u++) {
                    assertThat(worth[i][t] - market.price(t))
                            .isGreaterThanOrEqualTo(worth[i][u] - market.price(u) - 1e-9);
                }
            }
        }
    }

    /** Tries every way to hand out the workers, one at a time. */
    private static double best(double[][] worth, int[] sizes, int[] capacity, int job, int missing, int from) {
        if (missing == 0) {
            int next = job + 1;
            return next == sizes.length ? 0 : best(worth, sizes, capacity, next, sizes[next], 0);
        }
        double best = Double.NEGATIVE_INFINITY;
        for (int t = from; t < capacity.length; t++) {
            if (capacity[t] > 0 && worth[job][t] != Clearing.FORBIDDEN) {
                int[] left = capacity.clone();
                left[t]--;
                best = Math.max(best, worth[job][t] + best(worth, sizes, left, job, missing - 1, t));
            }
        }
        return best;
    }

    private static double total(double[][] worth, int[][] division) {
        double sum = 0;
        for (int i = 0; i < worth.length; i++) {
            for (int t = 0; t < worth[i].length; t++) {
                sum += division[i][t] == 0 ? 0 : division[i][t] * worth[i][t];
            }
        }
        return sum;
    }

    @Test
    void bothMethodsClearALargeMarketAlike() {
        Random random = new Random(3);
        double[][] worth = new double[10][64];
        for (double[] row : worth) {
            Arrays.setAll(row, t -> random.nextInt(1001));
        }
        worth[0][0] = 1000;
        int[] sizes = {6, 6, 6, 6, 6, 6, 6, 6, 6, 6};
        int[] capacity = new int[64];
        Arrays.fill(capacity, 1);
        int[][] first = new int[10][64];
        int[][] second = new int[10][64];

        assertThat(Clearing.ClearingMethod.JV.create().clear(worth, sizes, capacity, first))
                .isTrue();
        assertThat(Clearing.ClearingMethod.AUCTION.create().clear(worth, sizes, capacity, second))
                .isTrue();

        assertThat(total(worth, first)).isCloseTo(total(worth, second), within(1e-6));
    }
}
