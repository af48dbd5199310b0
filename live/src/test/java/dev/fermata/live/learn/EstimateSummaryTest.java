package dev.fermata.live.learn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.live.learn.RemainingTime.Source;
import dev.fermata.live.store.EstimateRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Estimates held against the truth, and how sure the next ones are. */
class EstimateSummaryTest {
    private static EstimateRow row(long job, String source, long p50, long truth) {
        return new EstimateRow(job, "start", job, source, 0, p50 / 2, p50, 2 * p50, truth);
    }

    @Test
    void everySourceIsJudgedOnItsOwn() {
        EstimateSummary summary = EstimateSummary.of(List.of(
                row(1, "DECLARED", 40_000, 20_000),
                row(2, "DECLARED", 30_000, 20_000),
                row(3, "DECLARED", 10_000, 50_000),
                row(4, "REPORTED", 11_000, 10_000)));

        assertThat(summary.sources())
                .extracting(EstimateSummary.OfSource::source)
                .containsExactly(Source.REPORTED, Source.DECLARED);
        EstimateSummary.OfSource declared = summary.sources().get(1);
        assertThat(declared.count()).isEqualTo(3);
        assertThat(declared.medianError()).isCloseTo(0.8, within(1e-9));
        assertThat(declared.bias()).isCloseTo(0.5, within(1e-9));
        assertThat(declared.withinP90()).isCloseTo(2 / 3.0, within(1e-9));
        assertThat(declared.withinBand()).isCloseTo(2 / 3.0, within(1e-9));
        assertThat(summary.worst().get(0).jobId()).isEqualTo(3);
    }

    @Test
    void aSourceThatIsOftenWrongSoonSaysSo() {
        Calibration calibration = new Calibration();
        Random random = new Random(5);
        List<EstimateRow> rows = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            long declared = 60_000;
            long truth = Math.round(declared * (0.05 + 0.5 * random.nextDouble()));
            RemainingTime said = calibration.around(declared, Source.DECLARED);
            if (i >= 100) {
                rows.add(new EstimateRow(
                        i, "start", i, "DECLARED", 0, said.p10Millis(), said.p50Millis(), said.p90Millis(), truth));
            }
            calibration.settle(Source.DECLARED, declared, truth);
        }

        // Where users always say too much, the truth is never above what they say, but above the lower end nine times
        // of ten.
        EstimateSummary.OfSource judged = EstimateSummary.of(rows).sources().get(0);
        assertThat(judged.withinP90()).isEqualTo(1);
        assertThat(judged.withinBand()).isBetween(0.85, 0.95);
        assertThat(judged.bias()).isGreaterThan(0.5);
    }

    @Test
    void anEstimateAtAnotherPaceTakesAnotherTime() {
        RemainingTime half = new RemainingTime(1_000, 2_000, 4_000, Source.LEARNED).at(500_000);

        assertThat(half).isEqualTo(new RemainingTime(2_000, 4_000, 8_000, Source.LEARNED));
    }
}
