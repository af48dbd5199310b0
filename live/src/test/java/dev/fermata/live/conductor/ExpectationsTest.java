package dev.fermata.live.conductor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.live.learn.Measured;
import dev.fermata.live.learn.RemainingTime;
import dev.fermata.live.store.EstimateRow;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What is expected of a job, why, and whether it came so. */
class ExpectationsTest {
    private static final long SECOND = 1_000;

    private final Stage stage = new Stage("fifo", 1);

    private RemainingTime remaining(long id) {
        Ring ring = stage.conductor().ring();
        return ring.estimator.remaining(Objects.requireNonNull(ring.scheduler.job(id)), stage.now);
    }

    private void ends(long id, long afterMillis) {
        stage.engine.running(id);
        stage.turn();
        stage.later(afterMillis);
        stage.engine.left(id, Outcome.COMPLETED, new Usage(0, afterMillis, 0, 0, 0, afterMillis), Measured.NOTHING);
        stage.turn();
    }

    @Test
    void aDeclaredTimeCountsUntilEnoughJobsOfTheKindWereSeen() {
        for (int i = 0; i < 3; i++) {
            long id = stage.submit(Specs.gpus(1).time(100 * SECOND)).get(0);
            assertThat(remaining(id).source()).isEqualTo(RemainingTime.Source.DECLARED);
            ends(id, 20 * SECOND);
        }
        long id = stage.submit(Specs.gpus(1).time(100 * SECOND)).get(0);

        assertThat(remaining(id).source()).isEqualTo(RemainingTime.Source.LEARNED);
    }

    @Test
    void whatWasLearnedComesNearTheTruth() {
        for (int i = 0; i < 12; i++) {
            ends(stage.submit(Specs.gpus(1).time(600 * SECOND)).get(0), 19 * SECOND + 200L * i);
        }
        RemainingTime expected =
                remaining(stage.submit(Specs.gpus(1).time(600 * SECOND)).get(0));

        assertThat(expected.p50Millis()).isBetween(15 * SECOND, 27 * SECOND);
        assertThat(expected.p10Millis()).isLessThanOrEqualTo(expected.p50Millis());
        assertThat(expected.p90Millis()).isGreaterThanOrEqualTo(20 * SECOND);
    }

    @Test
    void nothingIsKnownOfAJobLikeNoOther() {
        assertThat(remaining(stage.submit(Specs.gpus(1)).get(0)).source()).isEqualTo(RemainingTime.Source.ASSUMED);
    }

    @Test
    void aHiccupDoesNotChangeWhatItsStepsSay() {
        long id = stage.submit(Specs.gpus(1)).get(0);
        stage.engine.running(id);
        for (int step = 1; step <= 10; step++) {
            stage.later(step == 6 ? 40 * SECOND : SECOND);
            stage.engine.report(id, stage.now, step, 110);
        }

        assertThat(remaining(id).source()).isEqualTo(RemainingTime.Source.REPORTED);
        assertThat(remaining(id).p50Millis()).isEqualTo(100 * SECOND);
    }

    @Test
    void howFarItCameIsKnownWhileItWaitsAndAfterACrash() {
        long id = stage.submit(Specs.gpus(1)).get(0);
        stage.engine.running(id);
        stage.later(SECOND);
        Measured shown = new Measured(-1, -1, -1, -1, -1, 100, 50, 1, 500_000, -1, -1, -1, -1, stage.now, 45, 40, 100);
        stage.get(stage.desk().hold(Stage.ANN, id));
        stage.engine.left(id, Outcome.PAUSED, new Usage(0, SECOND, 0, 0, 0, SECOND), shown);
        stage.later(SECOND);

        assertThat(remaining(id).source()).isEqualTo(RemainingTime.Source.REPORTED);
        assertThat(remaining(id).p50Millis()).isEqualTo(60 * 500);
        stage.restart();
        assertThat(remaining(id).p50Millis()).isEqualTo(60 * 500);
    }

    /** Job 1 makes way for job 3 and shows in leaving that it is nearly done: job 2 is in its way now. */
    @Test
    void whatALeavingJobShowsCountsForTheDecisionThatFollows() {
        Stage two = new Stage("srtf", 2);
        two.submit(Specs.gpus(1).time(100 * SECOND), Specs.gpus(1).time(50 * SECOND));
        two.engine.running(1);
        two.engine.running(2);
        two.later(SECOND);
        two.submit(Specs.gpus(1).time(30 * SECOND));
        assertThat(two.engine.orders).contains("pause 1.1").doesNotContain("pause 2.1");

        Measured shown = new Measured(-1, -1, -1, -1, -1, 100, 50, 1, 500_000, -1, -1, -1, -1, two.now, 95, 90, 100);
        two.engine.left(1, Outcome.PAUSED, new Usage(0, SECOND, 0, 0, 0, SECOND), shown);
        two.turn();

        assertThat(two.engine.orders).contains("pause 2.1");
    }

    @Test
    void everyEstimateIsHeldAgainstTheTruth() {
        long id = stage.submit(Specs.gpus(1).time(40 * SECOND)).get(0);
        stage.later(5 * SECOND);
        stage.engine.running(id);
        stage.turn();
        for (int i = 0; i < 32; i++) {
            stage.later(SECOND);
        }
        stage.engine.left(id, Outcome.COMPLETED, new Usage(0, 32 * SECOND, 0, 0, 0, 32 * SECOND), Measured.NOTHING);
        stage.turn();

        List<EstimateRow> rows = stage.store.estimates(id);
        assertThat(rows).extracting(EstimateRow::moment).containsExactly("submit", "start", "quarter", "half", "late");
        assertThat(rows).allSatisfy(row -> {
            assertThat(row.source()).isEqualTo("DECLARED");
            assertThat(row.p50Millis()).isEqualTo(40 * SECOND - row.doneMillis());
            assertThat(row.truthMillis()).isEqualTo(32 * SECOND - row.doneMillis());
        });
    }

    @Test
    void ofOneThatRunsAsItComesIsExpectedWhatJustWas() {
        long id = stage.submit(Specs.gpus(1).time(4 * SECOND)).get(0);
        stage.now += 300;
        ends(id, 3 * SECOND);

        List<EstimateRow> rows = stage.store.estimates(id);
        assertThat(rows).extracting(EstimateRow::moment).containsExactly("submit", "start");
        assertThat(rows.get(1).atMillis()).isEqualTo(rows.get(0).atMillis() + 300);
        assertThat(rows.get(1).at("submit", rows.get(0).atMillis())).isEqualTo(rows.get(0));
        assertThat(rows.get(1).truthMillis()).isEqualTo(3 * SECOND);
    }

    @Test
    void ofAJobThatWasCancelledNothingIsKept() {
        long id = stage.submit(Specs.gpus(1).time(40 * SECOND)).get(0);
        stage.engine.running(id);
        stage.later(SECOND);
        stage.engine.left(id, Outcome.CANCELLED, 0, "");
        stage.turn();

        assertThat(stage.store.estimates(id)).isEmpty();
    }

    @Test
    void explainSaysWhatRemainsAndWhy() {
        long id = stage.submit(Specs.gpus(1).time(40 * SECOND)).get(0);
        stage.engine.running(id);
        stage.turn();
        stage.later(10 * SECOND);
        Map<String, Object> evidence = stage.get(stage.desk().explain(id)).evidence();

        assertThat(evidence).containsEntry("remainingSeconds", 30.0).containsEntry("remainingSource", "DECLARED");
        assertThat((Double) evidence.get("remainingP90Seconds")).isEqualTo(45.0);
    }
}
