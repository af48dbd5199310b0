package dev.fermata.report.figure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SensitivityValuesTest {

    @Test
    void numbersArePlacedByValue() {
        assertThat(SensitivityPlot.KeyValues.of("load", List.of("1.1", "0.7", "0.9"))
                        .numbers())
                .containsExactly(1.1, 0.7, 0.9);
        assertThat(SensitivityPlot.KeyValues.of("load", List.of("1.1", "0.7", "0.9"))
                        .order())
                .containsExactly(1, 2, 0);
        assertThat(SensitivityPlot.KeyValues.of("estimator", List.of("noisy:0.1", "noisy:2"))
                        .numbers())
                .containsExactly(0.1, 2.0);
    }

    @Test
    void wordsArePlacedSideBySide() {
        assertThat(SensitivityPlot.KeyValues.of("costs", List.of("none", "profiles", "scale:4"))
                        .numbers())
                .isEmpty();
        assertThat(SensitivityPlot.KeyValues.of("x", List.of("noisy:1", "scale:2"))
                        .numbers())
                .as("numbers of different things")
                .isEmpty();
    }

    @Test
    void labelsAreSpreadApartInOrder() {
        assertThat(LabelSpacing.spreadLabels(new double[] {50, 50, 10, 95}, 10, 0, 100))
                .containsExactly(50, 60, 10, 95);
        assertThat(LabelSpacing.spreadLabels(new double[] {99, 99, 99}, 10, 0, 100))
                .containsExactly(80, 90, 100);
    }
}
