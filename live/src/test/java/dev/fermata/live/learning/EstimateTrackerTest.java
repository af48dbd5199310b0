package dev.fermata.live.learning;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.history.RemainingTime;
import dev.fermata.live.loop.LoopFixture;
import dev.fermata.live.loop.SchedulingCycle;
import dev.fermata.live.loop.TestSpec;
import dev.fermata.live.profile.AttemptMeasurements;
import dev.fermata.live.store.EstimateRow;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Estimates of a job, their source and their accuracy. */
class EstimateTrackerTest {
    private static final long SECOND = 1_000;

    private final LoopFixture fixture = new LoopFixture("fifo", 1);

    private RemainingTime remaining(long id) {
        SchedulingCycle cycle = fixture.loop().cycle();
        return cycle.estimator.remaining(Objects.requireNonNull(cycle.scheduler.job(id)), fixture.now);
    }

    private void completeAfter(long id, long afterMillis) {
        fixture.engine.running(id);
        fixture.runCycle();
        fixture.advance(afterMillis);
        fixture.engine.end(
                id, Outcome.COMPLETED, new Usage(0, afterMillis, 0, 0, 0, afterMillis), AttemptMeasurements.NONE);
        fixture.runCycle();
    }

    @Test
    void declaredTimeIsUsedUntilEnoughJobsOfTheProgramHaveEnded() {
        for (int i = 0; i < 3; i++) {
            long id = fixture.submit(TestSpec.gpus(1).time(100 * SECOND)).get(0);
            assertThat(remaining(id).source()).isEqualTo(RemainingTime.EstimateSource.DECLARED);
            completeAfter(id, 20 * SECOND);
        }
        long id = fixture.submit(TestSpec.gpus(1).time(100 * SECOND)).get(0);

        assertThat(remaining(id).source()).isEqualTo(RemainingTime.EstimateSource.LEARNED);
    }

    @Test
    void learnedEstimateIsCloseToTheActualRunTime() {
        for (int i = 0; i < 12; i++) {
            completeAfter(fixture.submit(TestSpec.gpus(1).time(600 * SECOND)).get(0), 19 * SECOND + 200L * i);
        }
        RemainingTime expected =
                remaining(fixture.submit(TestSpec.gpus(1).time(600 * SECOND)).get(0));

        assertThat(expected.p50Millis()).isBetween(15 * SECOND, 27 * SECOND);
        assertThat(expected.p10Millis()).isLessThanOrEqualTo(expected.p50Millis());
        assertThat(expected.p90Millis()).isGreaterThanOrEqualTo(20 * SECOND);
    }

    @Test
    void unknownJobGetsTheAssumedEstimate() {
        assertThat(remaining(fixture.submit(TestSpec.gpus(1)).get(0)).source())
                .isEqualTo(RemainingTime.EstimateSource.ASSUMED);
    }

    @Test
    void oneSlowStepDoesNotChangeTheReportedEstimate() {
        long id = fixture.submit(TestSpec.gpus(1)).get(0);
        fixture.engine.running(id);
        for (int step = 1; step <= 10; step++) {
            fixture.advance(step == 6 ? 40 * SECOND : SECOND);
            fixture.engine.report(id, fixture.now, step, 110);
        }

        assertThat(remaining(id).source()).isEqualTo(RemainingTime.EstimateSource.REPORTED);
        assertThat(remaining(id).p50Millis()).isEqualTo(100 * SECOND);
    }

    @Test
    void remainingStepsAreKnownWhilePendingAndAfterACrash() {
        long id = fixture.submit(TestSpec.gpus(1)).get(0);
        fixture.engine.running(id);
        fixture.advance(SECOND);
        AttemptMeasurements observed = AttemptMeasurements.NONE
                .withPreemption(new AttemptMeasurements.PreemptionTimes(100, 50, 1))
                .withUse(new AttemptMeasurements.ResourceUse(500_000, -1, -1))
                .withCheckpoints(new AttemptMeasurements.Checkpoints(-1, -1, fixture.now, 0))
                .withSteps(new AttemptMeasurements.Steps(45, 40, 100));
        fixture.runAndGet(fixture.service().hold(LoopFixture.ANN, id));
        fixture.engine.end(id, Outcome.PREEMPTED, new Usage(0, SECOND, 0, 0, 0, SECOND), observed);
        fixture.advance(SECOND);

        assertThat(remaining(id).source()).isEqualTo(RemainingTime.EstimateSource.REPORTED);
        assertThat(remaining(id).p50Millis()).isEqualTo(60 * 500);
        fixture.restart();
        assertThat(remaining(id).p50Millis()).isEqualTo(60 * 500);
    }

    /** Job 1 is preempted for job 3 and its measurements show that it is nearly done: now job 2 is preempted for it. */
    @Test
    void measurementsOfAnEndedAttemptCountForTheNextDecision() {
        LoopFixture two = new LoopFixture("srtf", 2);
        two.submit(TestSpec.gpus(1).time(100 * SECOND), TestSpec.gpus(1).time(50 * SECOND));
        two.engine.running(1);
        two.engine.running(2);
        two.advance(SECOND);
        two.submit(TestSpec.gpus(1).time(30 * SECOND));
        assertThat(two.engine.orders).contains("pause 1.1").doesNotContain("pause 2.1");

        AttemptMeasurements observed = AttemptMeasurements.NONE
                .withPreemption(new AttemptMeasurements.PreemptionTimes(100, 50, 1))
                .withUse(new AttemptMeasurements.ResourceUse(500_000, -1, -1))
                .withCheckpoints(new AttemptMeasurements.Checkpoints(-1, -1, two.now, 0))
                .withSteps(new AttemptMeasurements.Steps(95, 90, 100));
        two.engine.end(1, Outcome.PREEMPTED, new Usage(0, SECOND, 0, 0, 0, SECOND), observed);
        two.runCycle();

        assertThat(two.engine.orders).contains("pause 2.1");
    }

    @Test
    void everyEstimateIsComparedWithTheActualRunTime() {
        long id = fixture.submit(TestSpec.gpus(1).time(40 * SECOND)).get(0);
        fixture.advance(5 * SECOND);
        fixture.engine.running(id);
        fixture.runCycle();
        for (int i = 0; i < 32; i++) {
            fixture.advance(SECOND);
        }
        fixture.engine.end(
                id, Outcome.COMPLETED, new Usage(0, 32 * SECOND, 0, 0, 0, 32 * SECOND), AttemptMeasurements.NONE);
        fixture.runCycle();

        List<EstimateRow> rows = fixture.store.estimates(id);
        assertThat(rows).extracting(EstimateRow::moment).containsExactly("submit", "start", "quarter", "half", "late");
        assertThat(rows).allSatisfy(row -> {
            assertThat(row.source()).isEqualTo("DECLARED");
            assertThat(row.p50Millis()).isEqualTo(40 * SECOND - row.doneMillis());
            assertThat(row.actualMillis()).isEqualTo(32 * SECOND - row.doneMillis());
        });
    }

    @Test
    void estimateAtSubmissionIsReusedForAnImmediateStart() {
        long id = fixture.submit(TestSpec.gpus(1).time(4 * SECOND)).get(0);
        fixture.now += 300;
        completeAfter(id, 3 * SECOND);

        List<EstimateRow> rows = fixture.store.estimates(id);
        assertThat(rows).extracting(EstimateRow::moment).containsExactly("submit", "start");
        assertThat(rows.get(1).atMillis()).isEqualTo(rows.get(0).atMillis() + 300);
        assertThat(rows.get(1).withMoment("submit", rows.get(0).atMillis())).isEqualTo(rows.get(0));
        assertThat(rows.get(1).actualMillis()).isEqualTo(3 * SECOND);
    }

    @Test
    void estimatesOfCancelledJobsAreDropped() {
        long id = fixture.submit(TestSpec.gpus(1).time(40 * SECOND)).get(0);
        fixture.engine.running(id);
        fixture.advance(SECOND);
        fixture.engine.end(id, Outcome.CANCELLED, 0, "");
        fixture.runCycle();

        assertThat(fixture.store.estimates(id)).isEmpty();
    }

    @Test
    void explainReportsRemainingTimeAndItsSource() {
        long id = fixture.submit(TestSpec.gpus(1).time(40 * SECOND)).get(0);
        fixture.engine.running(id);
        fixture.runCycle();
        fixture.advance(10 * SECOND);
        Map<String, Object> evidence =
                fixture.runAndGet(fixture.service().explain(id)).evidence();

        assertThat(evidence).containsEntry("remainingSeconds", 30.0).containsEntry("remainingSource", "DECLARED");
        assertThat((Double) evidence.get("remainingP90Seconds")).isEqualTo(45.0);
    }
}
