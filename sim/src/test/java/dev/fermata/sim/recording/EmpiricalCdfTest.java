package dev.fermata.sim.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EmpiricalCdfTest {

    @Test
    void aLargeSampleKeepsItsEndsAndItsQuantiles() {
        EmpiricalCdf curve = EmpiricalCdf.of(
                IntStream.rangeClosed(1, 100_000).mapToDouble(i -> i).toArray());

        assertThat(curve.values())
                .hasSize(EmpiricalCdf.MAX_POINTS)
                .startsWith(1.0)
                .endsWith(100_000.0);
        for (int i = 0; i < curve.values().size(); i++) {
            assertThat(curve.shares().get(i)).isCloseTo(curve.values().get(i) / 100_000, within(1e-9));
        }
    }

    @Test
    void mergedSamplesHaveTheSameWeight() {
        EmpiricalCdf few = EmpiricalCdf.of(new double[] {1, 3});
        EmpiricalCdf many = EmpiricalCdf.of(new double[] {2, 2, 2, 2});

        EmpiricalCdf both = EmpiricalCdf.merged(List.of(few, many));

        assertThat(both.values()).containsExactly(1.0, 2.0, 2.0, 2.0, 2.0, 3.0);
        assertThat(both.shares()).containsExactly(0.25, 0.375, 0.5, 0.625, 0.75, 1.0);
    }

    @Test
    void anEmptySampleIsAnEmptyCurve() {
        EmpiricalCdf empty = EmpiricalCdf.of(new double[0]);

        assertThat(empty.values()).isEmpty();
        assertThat(EmpiricalCdf.merged(List.of(empty, empty)).values()).isEmpty();
    }
}
