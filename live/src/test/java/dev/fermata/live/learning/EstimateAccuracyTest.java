package dev.fermata.live.learning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.history.EstimateCalibration;
import dev.fermata.history.RemainingTime;
import dev.fermata.history.RemainingTime.EstimateSource;
import dev.fermata.live.store.EstimateRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Estimates compared with actual values, and the intervals learned from them. */
class EstimateAccuracyTest {
    private static EstimateRow row(long job, String source, long p50, long actual) {
        return new EstimateRow(
                job, "start", job, source, 0, new EstimateRow.WorkQuantiles(p50 / 2, p50, 2 * p50), actual);
    }

    @Test
    void everySourceIsEvaluatedSeparately() {
        EstimateAccuracy summary = EstimateAccuracy.of(List.of(
                row(1, "DECLARED", 40_000, 20_000),
                row(2, "DECLARED", 30_000, 20_000),
                row(3, "DECLARED", 10_000, 50_000),
                row(4, "REPORTED", 11_000, 10_000)));

        assertThat(summary.sources())
                .extracting(EstimateAccuracy.SourceAccuracy::source)
                .containsExactly(EstimateSource.REPORTED, EstimateSource.DECLARED);
        EstimateAccuracy.SourceAccuracy declared = summary.sources().get(1);
        assertThat(declared.count()).isEqualTo(3);
        assertThat(declared.medianError()).isCloseTo(0.8, within(1e-9));
        assertThat(declared.bias()).isCloseTo(0.5, within(1e-9));
        assertThat(declared.withinP90()).isCloseTo(2 / 3.0, within(1e-9));
        assertThat(declared.withinBand()).isCloseTo(2 / 3.0, within(1e-9));
        assertThat(summary.worst().get(0).jobId()).isEqualTo(3);
    }

    @Test
    void calibrationWidensForAnInaccurateSource() {
        EstimateCalibration calibration = new EstimateCalibration();
        Random random = new Random(5);
        List<EstimateRow> rows = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            long declared = 60_000;
            long actual = Math.round(declared * (0.05 + 0.5 * random.nextDouble()));
            RemainingTime said = calibration.intervalAround(declared, EstimateSource.DECLARED);
            if (i >= 100) {
                rows.add(new EstimateRow(
                        i,
                        "start",
                        i,
                        "DECLARED",
                        0,
                        new EstimateRow.WorkQuantiles(said.p10Millis(), said.p50Millis(), said.p90Millis()),
                        actual));
            }
            calibration.addSample(EstimateSource.DECLARED, declared, actual);
        }

        // If users always declare too much, the actual value is never above the declared one, and above the lower end
        // of
        // the interval in nine of ten cases.
        EstimateAccuracy.SourceAccuracy judged =
                EstimateAccuracy.of(rows).sources().get(0);
        assertThat(judged.withinP90()).isEqualTo(1);
        assertThat(judged.withinBand()).isBetween(0.85, 0.95);
        assertThat(judged.bias()).isGreaterThan(0.5);
    }

    @Test
    void remainingTimeScalesWithSpeed() {
        RemainingTime half = new RemainingTime(1_000, 2_000, 4_000, EstimateSource.LEARNED).atSpeed(500_000);

        assertThat(half).isEqualTo(new RemainingTime(2_000, 4_000, 8_000, EstimateSource.LEARNED));
    }
}
