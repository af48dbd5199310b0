package dev.fermata.core.policy.market;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RingAllReduceMarketTest {
    private static final TrainingJob JOB = new TrainingJob(100, 10, 1e9);

    /** One round: 100 samples at the rate, then a ring all-reduce of 1 GB over 1 GB/s. */
    @ParameterizedTest
    @CsvSource({
        "50, 1, 20", // 10 · (2 + 0)
        "100, 2, 20", // 10 · (1 + 2·1/2)
        "200, 4, 20", // 10 · (0.5 + 2·3/4)
        "400, 8, 20", // 10 · (0.25 + 2·7/8)
        "100, 1, 10"
    })
    void theCompletionTimeIsComputingPlusCommunication(double rate, int workers, double seconds) {
        RingAllReduceMarket market = new RingAllReduceMarket(List.of(JOB), new double[][] {{50, 50}}, 1e9);

        assertThat(market.seconds(0, rate, workers)).isCloseTo(seconds, within(1e-9));
    }

    @Test
    void ratesOfSeveralTypesAddUp() {
        RingAllReduceMarket market = new RingAllReduceMarket(List.of(JOB), new double[][] {{30, 20, 30}}, 1e9);

        // types in order of throughput: one worker of 20, two of 30
        assertThat(market.types()).isEqualTo(2);
        assertThat(new int[] {market.workers(0), market.workers(1)}).containsExactly(1, 2);
        assertThat(market.seconds(0, new int[] {1, 1})).isCloseTo(10 * (2 + 1), within(1e-9));
        assertThat(market.workersOf(new int[][] {{1, 1}})).isDeepEqualTo(new int[][] {{0, 1}});
        assertThat(market.meanRate(0)).isCloseTo(80 / 3.0, within(1e-9));
    }

    @Test
    void workersAreOneTypeOnlyIfEveryJobRunsEquallyFastOnThem() {
        RingAllReduceMarket market =
                new RingAllReduceMarket(List.of(JOB, JOB), new double[][] {{1, 1, 1}, {2, 3, 2}}, 1e9);

        assertThat(market.types()).isEqualTo(2);
    }

    @Test
    void invalidInputIsRejected() {
        assertThatThrownBy(() -> new TrainingJob(0, 1, 1)).hasMessageContaining("samples (0.0)");
        assertThatThrownBy(() -> new RingAllReduceMarket(List.of(JOB), new double[][] {{1}}, 0))
                .hasMessageContaining("link speed");
    }

    @Test
    void samplesAreSplitByLargestRemainder() {
        assertThat(WorkSplit.of(100, new double[] {3, 1})).containsExactly(75, 25);
        assertThat(WorkSplit.of(10, new double[] {1, 1, 1})).containsExactly(4, 3, 3);
        assertThat(WorkSplit.of(7, new double[] {5, 3, 2})).containsExactly(4, 2, 1); // 3.5, 2.1, 1.4
        assertThat(WorkSplit.of(3, new double[] {0, 2})).containsExactly(0, 3);
        assertThatThrownBy(() -> WorkSplit.of(3, new double[] {0, 0})).hasMessageContaining("above zero");
    }

    @Test
    void noSampleIsLostOrDuplicatedAndNoWorkerIsOffByMoreThanOne() {
        Random random = new Random(5);
        for (int round = 0; round < 500; round++) {
            double[] rates = random.doubles(1 + random.nextInt(9), 0.01, 5).toArray();
            long samples = random.nextInt(3000);
            long[] split = WorkSplit.of(samples, rates);
            double sum = Arrays.stream(rates).sum();
            assertThat(Arrays.stream(split).sum()).isEqualTo(samples);
            for (int k = 0; k < rates.length; k++) {
                assertThat((double) split[k]).isCloseTo(samples * rates[k] / sum, within(1.0));
            }
        }
    }
}
