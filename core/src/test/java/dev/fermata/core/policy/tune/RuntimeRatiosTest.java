package dev.fermata.core.policy.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class RuntimeRatiosTest {

    private static RuntimeRatios of(double... ratios) {
        RuntimeRatios lifetimes = new RuntimeRatios();
        for (int i = 0; i < 1024; i++) {
            lifetimes.learn(ratios[i % ratios.length]);
        }
        return lifetimes;
    }

    @Test
    void estimatesCountAsExactUntilTheyProveWrong() {
        assertThat(new RuntimeRatios().isExact()).isTrue();
        assertThat(of(1.0, 0.99, 1.02).isExact()).isTrue();
        assertThat(of(0.5, 1, 2).isExact()).isFalse();
    }

    /** Half of the jobs take 1, half take 9: a new one ends at 1 with an even chance, 1 / 0.5 = 2 of work per end. */
    @Test
    void aNewJobIsJudgedByTheChanceThatItEndsSoon() {
        assertThat(of(1, 9).remaining(0)).isCloseTo(2, within(1e-9));
    }

    /** Once past 1 it is one of the long ones; the age is rounded down to the step at the square root of two. */
    @Test
    void aJobThatOutlivedTheShortOnesIsALongOne() {
        RuntimeRatios lifetimes = of(1, 9);
        assertThat(lifetimes.remaining(1.5)).isCloseTo(9 - Math.sqrt(2), within(1e-9));
        assertThat(lifetimes.remaining(8.5)).isCloseTo(1, within(1e-9));
    }

    @Test
    void beyondAllSamplesAJobIsExpectedToDouble() {
        assertThat(of(1, 9).remaining(17)).isCloseTo(32, within(1e-9));
    }

    @Test
    void stepsAreAFactorOfRootTwoApart() {
        assertThat(of(1, 9).nextBoundary(1)).isCloseTo(Math.sqrt(2), within(1e-9));
        assertThat(of(1, 9).nextBoundary(0)).isEqualTo(1.0 / 64);
        assertThat(of(1, 9).nextBoundary(1000)).isInfinite();
    }

    @Test
    void ratiosAreRefreshedPeriodicallyNotOnEveryJob() {
        RuntimeRatios lifetimes = new RuntimeRatios();
        int changes = 0;
        for (int i = 0; i < 1000; i++) {
            changes += lifetimes.learn(i % 7 + 0.5) ? 1 : 0;
        }
        assertThat(changes).isBetween(5, 30);
    }
}
