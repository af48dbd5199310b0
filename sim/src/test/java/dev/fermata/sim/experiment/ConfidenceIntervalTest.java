package dev.fermata.sim.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class ConfidenceIntervalTest {

    @Test
    void oneValueHasNoInterval() {
        assertThat(ConfidenceInterval.of(List.of(7.0))).isEqualTo(new ConfidenceInterval(7, 0));
    }

    @Test
    void intervalIsStudentsT() {
        // mean 3, s = sqrt(2.5), t(4) = 2.776: 2.776 * sqrt(2.5 / 5)
        ConfidenceInterval estimate = ConfidenceInterval.of(List.of(1.0, 2.0, 3.0, 4.0, 5.0));

        assertThat(estimate.mean()).isEqualTo(3);
        assertThat(estimate.halfWidth()).isCloseTo(1.963, within(0.001));
    }
}
