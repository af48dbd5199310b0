package dev.fermata.core.policy.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class LifetimesTest {

    private static Lifetimes of(double... ratios) {
        Lifetimes lifetimes = new Lifetimes();
        for (int i = 0; i < 1024; i++) {
            lifetimes.learn(ratios[i % ratios.length]);
        }
        return lifetimes;
    }

    @Test
    void estimatesAreTakenAtTheirWordUntilTheyProveWrong() {
        assertThat(new Lifetimes().exact()).isTrue();
        assertThat(of(1.0, 0.99, 1.02).exact()).isTrue();
        assertThat(of(0.5, 1, 2).exact()).isFalse();
    }

    /** Half of the jobs take 1, half take 9: a new one ends at 1 with an even chance, 1 / 0.5 = 2 of work per end. */
    @Test
    void aNewJobIsJudgedByTheChanceThatItEndsSoon() {
        assertThat(of(1, 9).remaining(0)).isCloseTo(2, within(1e-9));
    }

    /** Once past 1 it is one of the long ones; the age is rounded down to the step at the square root of two. */
    @Test
    void aJobThatOutlivedTheShortOnesIsALongOne() {
        Lifetimes lifetimes = of(1, 9);
        assertThat(lifetimes.remaining(1.5)).isCloseTo(9 - Math.sqrt(2), within(1e-9));
        assertThat(lifetimes.remaining(8.5)).isCloseTo(1, within(1e-9));
    }

    @Test
    void beyondAllExperienceAJobIsExpectedToDouble() {
        assertThat(of(1, 9).remaining(17)).isCloseTo(32, within(1e-9));
    }

    @Test
    void stepsAreAFactorOfRootTwoApart() {
        assertThat(of(1, 9).nextStep(1)).isCloseTo(Math.sqrt(2), within(1e-9));
        assertThat(of(1, 9).nextStep(0)).isEqualTo(1.0 / 64);
        assertThat(of(1, 9).nextStep(1000)).isInfinite();
    }

    @Test
    void whatIsKnownChangesNowAndThenNotWithEveryJob() {
        Lifetimes lifetimes = new Lifetimes();
        int changes = 0;
        for (int i = 0; i < 1000; i++) {
            changes += lifetimes.learn(i % 7 + 0.5) ? 1 : 0;
        }
        assertThat(changes).isBetween(5, 30);
    }
}
