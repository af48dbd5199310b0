package dev.fermata.research.report;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetricNameTest {

    @ParameterizedTest
    @CsvSource({
        "meanJctReduction, mean JCT reduction",
        "teP95SlowdownReduction, TE p95 slowdown reduction",
        "oomFailures, OOM failures",
        "gap, gap"
    })
    void metricNamesAreSplitIntoWords(String name, String words) {
        assertThat(new MetricName(name).text()).isEqualTo(words);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "meanJctReduction | 0.966 | 96.6 %",
                "meanJctReduction | -0.012 | −1.20 %",
                "meanJctReduction | -0.00001 | 0.00 %",
                "meanGap | 0.0204 | 2.04 %",
                "meanWaitFactor | 1.64 | 1.64×",
                "medianSpeedup | 2315.4 | 2,315×",
                "oomFailures | 0 | 0",
                "intervalSeconds | 90 | 1m30s",
                "planMillis | 12.5 | 12.5 ms",
                "meanGap | NaN | –"
            })
    void lastWordDeterminesTheFormat(String name, double value, String shown) {
        assertThat(new MetricName(name).format(value)).isEqualTo(shown);
    }

    @Test
    void halfAnIntervalIsAsFineAsItsValue() {
        assertThat(new MetricName("gap").formatHalfWidth(0.02, 0.5)).isEqualTo("2.0 %");
        assertThat(new MetricName("gap").formatHalfWidth(0.02, 0.05)).isEqualTo("2.00 %");
    }

    @ParameterizedTest
    @CsvSource({"gap, 0.5, 50 %", "gap, -0.02, −2 %", "waitFactor, 1000, 1000×", "oomFailures, 0.2, 0.2"})
    void ticksHaveNoDecimalsToSpare(String name, double value, String shown) {
        assertThat(new MetricName(name).tick(value)).isEqualTo(shown);
    }
}
