package dev.fermata.core.policy.whole;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.model.Profile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CoRunScoreTest {
    private static final CoRunScore.ActiveIdle RUNNING = new CoRunScore.ActiveIdle(900, 1500);

    /** Ac/Ic = 0.6; Aj/Ij = 4 in the first, 0.5 in the second: x = 2.4 and 0.3. */
    @ParameterizedTest
    @CsvSource({
        "1, 200, 50, 2150", // |900-50| + |1500-200|
        "2, 200, 50, 1300", // |1500-200|
        "3, 200, 50, 1.4", // |2.4-1|
        "4, 200, 50, 850", // |900-50|
        "5, 200, 50, 0",
        "6, 200, 50, 1.4", // 2.4-1
        "7, 200, 50, 0.8754687", // ln 2.4
        "8, 200, 50, 0.3245313", // |2 - 0.8 - ln 2.4|
        "new, 200, 50, 4",
        "1, 100, 200, 2100",
        "2, 100, 200, 1400",
        "3, 100, 200, 0.7", // |0.3-1|
        "4, 100, 200, 700",
        "5, 100, 200, 0",
        "6, 100, 200, 2.3333333", // 1/0.3-1
        "7, 100, 200, 1.2039728", // |ln 0.3|
        "8, 100, 200, 2.4039728", // |2 - 0.8 - ln 0.3|
        "new, 100, 200, 0.5"
    })
    void everyScoreMatchesItsFormula(String name, double active, double idle, double expected) {
        assertThat(CoRunScore.byName(name).of(RUNNING, new CoRunScore.ActiveIdle(active, idle)))
                .isCloseTo(expected, within(1e-6));
    }

    @Test
    void aProfileIsSplitByItsBusyShare() {
        Profile profile = new Profile("vgg16", 2400, 0.375, 0, 1, 0, java.util.Map.of());

        assertThat(CoRunScore.ActiveIdle.of(profile)).isEqualTo(RUNNING);
    }

    @Test
    void aJobThatNeverIdlesHasAFiniteScore() {
        CoRunScore.ActiveIdle busy = CoRunScore.ActiveIdle.of(Profile.UNKNOWN);

        for (String name : CoRunScore.names()) {
            assertThat(CoRunScore.byName(name).of(busy, busy)).as(name).isFinite();
        }
    }
}
