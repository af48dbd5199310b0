package dev.fermata.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SurvivalTest {
    private static final double ROUNDING = 1e-9;

    private final Survival kind = new Survival();

    static IntStream steps() {
        return IntStream.range(0, Ages.STEPS);
    }

    /** Nobody is seen after he ended, nor more than once in a step, at the edges as between them. */
    @ParameterizedTest
    @MethodSource("steps")
    void oneJobIsSeenOnceInEveryStepUntilItEnds(int step) {
        kind.passed(0, step - Survival.REACH);
        kind.end(step);
        double alive = 1;
        for (int s = 0; s < Ages.STEPS; s++) {
            assertThat(kind.seen(s)).as("seen in step %d", s).isCloseTo(alive, within(ROUNDING));
            alive -= kind.ended(s);
        }
        assertThat(alive).as("alive after all").isCloseTo(0, within(ROUNDING));
    }

    /** As many as a float can count, and more. */
    @Test
    void countingNeverStops() {
        int jobs = (1 << 24) + 100;
        for (int i = 0; i < jobs; i++) {
            kind.passed(0, 1);
        }
        assertThat(kind.seen(0)).isEqualTo(jobs);
    }
}
