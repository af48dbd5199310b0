package dev.fermata.live.foresee;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.json.RecordJson;
import dev.fermata.live.store.Line;
import org.junit.jupiter.api.Test;

/** How right predictions were, counted by hand. */
class StartCalibrationTest {
    private final StartCalibration calibration = new StartCalibration();
    private long seq;

    private void expected(long job, long asOf, long p50, long p90) {
        hear(job, asOf + 1, Foreseen.KIND, new RecordJson().write(new Foreseen(asOf, p50, p90, 9)));
    }

    private void hear(long job, long at, String kind, String body) {
        calibration.hear(new Line(++seq, at, job, 0, "daemon", kind, body));
    }

    private void started(long job, long at) {
        hear(job, at, "Started", "{}");
    }

    @Test
    void startsAreHeldAgainstWhatWasExpected() {
        expected(1, 100, 200, 300);
        expected(2, 100, 200, 300);
        expected(3, 100, 200, 300);
        started(1, 150);
        started(2, 220);
        started(3, 500);
        StartCalibration.Verdict verdict = calibration.verdict(1000);
        assertThat(verdict).isEqualTo(new StartCalibration.Verdict(3, 3, 1, 3, 2, 50, 120));
    }

    @Test
    void aTimeThatHasPassedCountsEvenIfTheJobStillWaitsAndOneThatHasNotDoesNot() {
        expected(1, 100, 200, 3000);
        expected(2, 100, 2000, 3000);
        started(2, 150);
        assertThat(calibration.verdict(1000)).isEqualTo(new StartCalibration.Verdict(2, 1, 0, 0, 0, 1850, 50));
    }

    @Test
    void whatPeopleWantIsNotForeseen() {
        expected(1, 100, 200, 300);
        expected(2, 100, 200, 300);
        hear(1, 120, "Ended", "{}");
        hear(2, 120, "Held", "{}");
        started(2, 900);
        assertThat(calibration.verdict(1000)).isEqualTo(new StartCalibration.Verdict(2, 0, 0, 0, 0, -1, -1));
    }

    @Test
    void anEarlierStartOfTheSameJobIsNotTheOneThatWasExpected() {
        started(1, 50);
        expected(1, 100, 200, 300);
        started(1, 190);
        assertThat(calibration.verdict(1000)).isEqualTo(new StartCalibration.Verdict(1, 1, 1, 1, 1, 10, 90));
    }

    @Test
    void aStartBetweenTheLookAndItsLineCounts() {
        started(1, 101);
        expected(1, 101, 200, 300);
        assertThat(calibration.verdict(1000).by50()).isOne();
    }

    @Test
    void whatIsForgottenCountsAsIfItHadNeverBeenHeard() {
        expected(1, 100, 200, 300);
        started(1, 150);
        calibration.forget(500);
        expected(2, 600, 700, 800);
        started(2, 650);
        assertThat(calibration.verdict(1000)).isEqualTo(new StartCalibration.Verdict(1, 1, 1, 1, 1, 50, 50));
    }
}
