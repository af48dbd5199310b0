package dev.fermata.research;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class HeldOutCellTest {
    /** Cell a shines on the seeds that choose and not on the others; b is the reverse. */
    private static final Map<String, List<Double>> VALUES =
            Map.of("a", List.of(0.9, 0.7, 0.1, 0.2, 0.3), "b", List.of(0.5, 0.5, 0.8, 0.8, 0.8));

    private static double value(String cell, long seed) {
        return VALUES.getOrDefault(cell, List.of()).get((int) seed - 1);
    }

    @Test
    void seedsThatChooseDoNotMeasure() {
        HeldOutCell<String> most =
                HeldOutCell.largest(List.of("a", "b"), List.of(1L, 2L, 3L, 4L, 5L), HeldOutCellTest::value);

        assertThat(most.cell()).isEqualTo("a");
        assertThat(most.measured().mean()).isEqualTo(0.2, within(1e-12));
        assertThat(most.measured().samples()).isEqualTo(3);
        // t(2) = 4.303, deviation 0.1
        assertThat(most.measured().halfWidth()).isEqualTo(4.303 * 0.1 / Math.sqrt(3), within(1e-12));
    }

    @Test
    void theLeastIsChosenAlike() {
        HeldOutCell<String> least =
                HeldOutCell.smallest(List.of("a", "b"), List.of(1L, 2L, 3L, 4L), HeldOutCellTest::value);

        assertThat(least.cell()).isEqualTo("b");
        assertThat(least.measured().mean()).isEqualTo(0.8, within(1e-12));
    }

    @Test
    void oneSeedChoosesAndMeasures() {
        HeldOutCell<String> most = HeldOutCell.largest(List.of("a", "b"), List.of(1L), HeldOutCellTest::value);

        assertThat(most.cell()).isEqualTo("a");
        assertThat(most.measured().samples()).isEqualTo(1);
    }

    /** Ten cells of pure noise: the plain maximum is far above zero, the held-out one is not. */
    @Test
    void noiseGivesNoGain() {
        List<Integer> cells = IntStream.range(0, 10).boxed().toList();
        List<Long> seeds = LongStream.rangeClosed(1, 6).boxed().toList();
        double plain = 0;
        double heldOut = 0;
        int trials = 400;
        for (int t = 0; t < trials; t++) {
            Random random = new Random(t);
            double[][] drawn = new double[10][7];
            cells.forEach(c -> seeds.forEach(s -> drawn[c][s.intValue()] = random.nextGaussian()));
            heldOut += HeldOutCell.largest(cells, seeds, (c, s) -> drawn[c][s.intValue()])
                    .measured()
                    .mean();
            plain += cells.stream()
                    .mapToDouble(c -> seeds.stream()
                            .mapToDouble(s -> drawn[c][s.intValue()])
                            .average()
                            .orElseThrow())
                    .max()
                    .orElseThrow();
        }
        assertThat(plain / trials).isGreaterThan(0.5);
        assertThat(heldOut / trials).isBetween(-0.1, 0.1);
    }
}
