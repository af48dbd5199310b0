package dev.fermata.sim.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PairedComparisonTest {

    @Test
    void isThePairedTOfRelativeChanges() {
        // Changes −0.10, −0.30, −0.20, +0.05, −0.15: mean −0.14; squares about it 0.0016 + 0.0256 + 0.0036 + 0.0361 +
        // 0.0001 = 0.067; s² = 0.01675; half width 2.776 · sqrt(0.01675 / 5) = 0.16067.
        PairedComparison paired = PairedComparison.of(bySeed(100, 200, 50, 400, 80), bySeed(90, 140, 40, 420, 68));

        assertThat(paired.change().mean()).isCloseTo(-0.14, within(1e-12));
        assertThat(paired.change().halfWidth()).isCloseTo(0.16067, within(1e-5));
        assertThat(paired.seedPairs()).isEqualTo(5);
        assertThat(paired.lower()).isEqualTo(4);
        assertThat(paired.higher()).isEqualTo(1);
        assertThat(paired.isSignificant()).isFalse();
    }

    @Test
    void aSmallConsistentChangeIsSignificantWhereIntervalsOverlap() {
        Map<Long, Double> baseline = bySeed(100, 1000, 10_000);
        Map<Long, Double> other = bySeed(95, 940, 9450);

        assertThat(PairedComparison.of(baseline, other).isSignificant()).isTrue();
        assertThat(ConfidenceInterval.of(List.copyOf(baseline.values())).low())
                .isLessThan(ConfidenceInterval.of(List.copyOf(other.values())).high());
    }

    @Test
    void oneSeedIsNeverSignificantAndUnpairedSeedsAreIgnored() {
        PairedComparison paired =
                PairedComparison.of(Map.of(1L, 10.0, 2L, 10.0, 4L, 0.0), Map.of(2L, 5.0, 3L, 1.0, 4L, 1.0));

        assertThat(paired.seedPairs()).isEqualTo(1);
        assertThat(paired.change().mean()).isEqualTo(-0.5);
        assertThat(paired.isSignificant()).isFalse();
        assertThat(PairedComparison.of(Map.of(), Map.of(1L, 1.0)).seedPairs()).isZero();
    }

    @Test
    void identicalRunsHaveNoIntervalAndAreNotSignificant() {
        PairedComparison paired = PairedComparison.of(bySeed(0.3, 0.3, 0.3, 0.3, 0.3), bySeed(0.1, 0.1, 0.1, 0.1, 0.1));

        assertThat(paired.change().halfWidth()).isZero();
        assertThat(paired.change().mean()).isEqualTo(0.1 / 0.3 - 1);
        assertThat(paired.lower()).isEqualTo(5);
        assertThat(paired.isSignificant()).isFalse();
    }

    /** Of 20,000 intervals about a known change, 95 % must hold it; the standard error of the count is 0.15 %. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5, 10, 40})
    void ninetyFivePercentOfIntervalsContainTheTrueMean(int seeds) {
        double truth = -0.1;
        Random random = new Random(42);
        int rounds = 20_000;
        int holding = 0;
        for (int round = 0; round < rounds; round++) {
            Map<Long, Double> baseline = new LinkedHashMap<>();
            Map<Long, Double> other = new LinkedHashMap<>();
            for (long seed = 0; seed < seeds; seed++) {
                double workload = Math.exp(3 * random.nextGaussian());
                baseline.put(seed, workload);
                other.put(seed, workload * (1 + truth + 0.05 * random.nextGaussian()));
            }
            ConfidenceInterval change = PairedComparison.of(baseline, other).change();
            holding += change.low() <= truth && truth <= change.high() ? 1 : 0;
        }

        assertThat((double) holding / rounds).isCloseTo(0.95, within(0.006));
    }

    /** Against Student's t at its 97.5 % point, from printed tables: the values beyond 30 come from an expansion. */
    @Test
    void quantilesBeyondTheTableAreAccurate() {
        assertThat(quantile(41)).isCloseTo(2.0211, within(0.0002)); // 40 degrees of freedom
        assertThat(quantile(61)).isCloseTo(2.0003, within(0.0002));
        assertThat(quantile(121)).isCloseTo(1.9799, within(0.0002));
    }

    /** Half width over standard error, of values that alternate. */
    private static double quantile(int n) {
        List<Double> values = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            values.add(i % 2 == 0 ? 1.0 : -1.0);
        }
        ConfidenceInterval estimate = ConfidenceInterval.of(values);
        double squares = values.stream()
                .mapToDouble(v -> (v - estimate.mean()) * (v - estimate.mean()))
                .sum();
        return estimate.halfWidth() / Math.sqrt(squares / (n - 1) / n);
    }

    private static Map<Long, Double> bySeed(double... values) {
        Map<Long, Double> map = new LinkedHashMap<>();
        for (int i = 0; i < values.length; i++) {
            map.put((long) i, values[i]);
        }
        return map;
    }
}
