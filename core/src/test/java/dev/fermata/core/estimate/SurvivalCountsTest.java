package dev.fermata.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SurvivalCountsTest {
    private static final double ROUNDING = 1e-9;

    private final SurvivalCounts group = new SurvivalCounts();

    static IntStream steps() {
        return IntStream.range(0, AgeSteps.STEPS);
    }

    /** No job is counted after its end, nor more than once in a step, at the edges as between them. */
    @ParameterizedTest
    @MethodSource("steps")
    void oneJobIsAtRiskOnceInEveryStepUntilItEnds(int step) {
        group.recordPassed(0, step - SurvivalCounts.SMOOTHING_RADIUS);
        group.recordEnd(step);
        double surviving = 1;
        for (int s = 0; s < AgeSteps.STEPS; s++) {
            assertThat(group.atRisk(s)).as("seen in step %d", s).isCloseTo(surviving, within(ROUNDING));
            surviving -= group.ended(s);
        }
        assertThat(surviving).as("alive after all").isCloseTo(0, within(ROUNDING));
    }

    /** As many as a float can count, and more. */
    @Test
    void countingNeverStops() {
        int jobs = (1 << 24) + 100;
        for (int i = 0; i < jobs; i++) {
            group.recordPassed(0, 1);
        }
        assertThat(group.atRisk(0)).isEqualTo(jobs);
    }
}
