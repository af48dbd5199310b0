package dev.fermata.core.policy.place;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class CoRunTest {
    @Test
    void twoHalfBusyJobsGetInEachOthersWayOnlyByInterference() {
        assertThat(CoRun.pairGain(0.5, 0.5)).isCloseTo(2 / 1.15 - 1, within(1e-9));
    }

    @Test
    void twoBusyJobsLoseTogether() {
        assertThat(CoRun.pairGain(1, 1)).isCloseTo(1 / 1.15 - 1, within(1e-9)); // each at 1/2.3
    }

    /** b = 0.8 twice: 0.8/(0.2+0.8k) = 1/2 at k = 1.75, so each iteration takes 1.6 x 1.15. */
    @Test
    void theCommonStretchIsSolvedFor() {
        assertThat(CoRun.pairGain(0.8, 0.8)).isCloseTo(2 / (1.6 * 1.15) - 1, within(1e-6));
    }

    @Test
    void aBusierNeighbourNeverPaysMore() {
        for (double own = 0.05; own <= 1; own += 0.05) {
            double before = Double.MAX_VALUE;
            for (double other = 0.05; other <= 1; other += 0.05) {
                double gain = CoRun.pairGain(own, other);
                assertThat(gain).isLessThanOrEqualTo(before + 1e-9);
                before = gain;
            }
        }
    }
}
