package dev.fermata.research;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.sim.experiment.ConfidenceInterval;
import java.util.List;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ComparisonTest {
    private static Measurement measured(double mean, double half, int samples) {
        return new Measurement(new ConfidenceInterval(mean, half), samples, "seed");
    }

    private static Finding published(String metric, double published, double mean, double half) {
        return Finding.published("p", metric, "ours", "theirs", published, measured(mean, half, 5), "", "");
    }

    private static Finding difference(String metric, double mean, double half, int samples) {
        return Finding.difference("p", metric, "ours", "theirs", measured(mean, half, samples), "", "");
    }

    /** The same distance from the figure on either side: no comparison is one-sided. */
    @ParameterizedTest
    @CsvSource({
        "meanJctReduction, 0.19, 0.52, 0.03, BETTER",
        "meanJctReduction, 0.19, 0.04, 0.03, WORSE",
        "meanJctReduction, 0.19, 0.22, 0.03, INSIDE",
        "meanJctReduction, 0.19, 0.16, 0.03, INSIDE",
        "batchTailSlowdownReduction, -0.239, -0.04, 0.05, BETTER",
        "batchTailSlowdownReduction, -0.239, -0.5, 0.05, WORSE",
        "meanGap, 0.0204, 0.001, 0.001, BETTER",
        "meanGap, 0.0204, 0.05, 0.001, WORSE",
        "oomFailures, 0, 0, 0, INSIDE",
        "oomFailures, 0, 3, 1, WORSE",
        "waitImprovement, 1.64, 3.7, 0.5, BETTER",
        "gap, 0.0204, 0.001, 0.001, BETTER"
    })
    void aPublishedFigureIsInsideOrOnOneSide(
            String metric, double figure, double mean, double half, Comparison expected) {
        assertThat(published(metric, figure, mean, half).comparison()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "meanJctReduction, 0.02, 0.01, AHEAD",
        "meanJctReduction, 0.02, 0.02, LEVEL",
        "meanJctReduction, -0.02, 0.01, BEHIND",
        "meanJctReduction, 0, 0, LEVEL",
        "waitImprovement, 1.3, 0.2, AHEAD",
        "waitImprovement, 0.9, 0.2, LEVEL",
        "waitImprovement, 0.7, 0.2, BEHIND"
    })
    void aDifferenceIsAheadLevelOrBehind(String metric, double mean, double half, Comparison expected) {
        assertThat(difference(metric, mean, half, 5).comparison()).isEqualTo(expected);
    }

    @Test
    void oneSampleDecidesNothing() {
        assertThat(difference("meanJctReduction", 0.5, 0, 1).comparison()).isEqualTo(Comparison.UNDECIDED);
        assertThat(Finding.published("p", "meanGap", "a", "b", 0.1, measured(0.1, 0, 1), "", "")
                        .comparison())
                .isEqualTo(Comparison.UNDECIDED);
    }

    @Test
    void onlyPublishedFiguresAreCounted() {
        ComparisonCount count = ComparisonCount.of(List.of(
                published("meanJctReduction", 0.19, 0.2, 0.1),
                published("meanJctReduction", 0.19, 0.9, 0.1),
                published("meanJctReduction", 0.19, 0, 0.1),
                published("meanJctReduction", 0.19, 0.01, 0.1),
                difference("meanJctReduction", 0.9, 0.1, 5),
                Finding.measurement("p", "oomFailures", "ours", measured(0, 0, 5), "", "")));

        assertThat(count).isEqualTo(new ComparisonCount(1, 1, 2, 0, 2));
        assertThat(count.text()).isEqualTo("published figures: 1 inside, 1 better, 2 worse");
    }

    @Test
    void onlyAPublishedFindingHasAFigure() {
        assertThatThrownBy(() -> new Finding(
                        FindingKind.DIFFERENCE, "p", "m", "a", "b", OptionalDouble.of(1), measured(0, 0, 2), "", ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("DIFFERENCE");
    }
}
