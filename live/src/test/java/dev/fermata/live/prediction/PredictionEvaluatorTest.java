package dev.fermata.live.prediction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.history.HistoryEntry;
import dev.fermata.history.RecordJson;
import org.junit.jupiter.api.Test;

/** Accuracy of predictions, compared with figures counted by hand. */
class PredictionEvaluatorTest {
    private final PredictionEvaluator evaluator = new PredictionEvaluator();
    private long seq;

    private void predict(long job, long asOf, long p50, long p90) {
        read(job, asOf + 1, StartPredicted.TYPE, new RecordJson().write(new StartPredicted(asOf, p50, p90, 9)));
    }

    private void read(long job, long at, String type, String body) {
        evaluator.read(new HistoryEntry(++seq, at, job, 0, "daemon", type, body));
    }

    private void start(long job, long at) {
        read(job, at, "Started", "{}");
    }

    @Test
    void startsAreComparedWithPredictions() {
        predict(1, 100, 200, 300);
        predict(2, 100, 200, 300);
        predict(3, 100, 200, 300);
        start(1, 150);
        start(2, 220);
        start(3, 500);
        PredictionEvaluator.PredictionEvaluation evaluation = evaluator.evaluate(1000);
        assertThat(evaluation).isEqualTo(new PredictionEvaluator.PredictionEvaluation(3, 3, 1, 3, 2, 50, 120));
    }

    @Test
    void onlyPassedPercentilesAreEvaluated() {
        predict(1, 100, 200, 3000);
        predict(2, 100, 2000, 3000);
        start(2, 150);
        assertThat(evaluator.evaluate(1000))
                .isEqualTo(new PredictionEvaluator.PredictionEvaluation(2, 1, 0, 0, 0, 1850, 50));
    }

    @Test
    void heldAndEndedJobsAreNotEvaluated() {
        predict(1, 100, 200, 300);
        predict(2, 100, 200, 300);
        read(1, 120, "JobEnded", "{}");
        read(2, 120, "Held", "{}");
        start(2, 900);
        assertThat(evaluator.evaluate(1000))
                .isEqualTo(new PredictionEvaluator.PredictionEvaluation(2, 0, 0, 0, 0, -1, -1));
    }

    @Test
    void earlierStartOfTheSameJobIsIgnored() {
        start(1, 50);
        predict(1, 100, 200, 300);
        start(1, 190);
        assertThat(evaluator.evaluate(1000))
                .isEqualTo(new PredictionEvaluator.PredictionEvaluation(1, 1, 1, 1, 1, 10, 90));
    }

    @Test
    void startBetweenPredictionAndItsRecordCounts() {
        start(1, 101);
        predict(1, 101, 200, 300);
        assertThat(evaluator.evaluate(1000).metP50()).isOne();
    }

    @Test
    void forgottenPredictionsAreNotEvaluated() {
        predict(1, 100, 200, 300);
        start(1, 150);
        evaluator.forget(500);
        predict(2, 600, 700, 800);
        start(2, 650);
        assertThat(evaluator.evaluate(1000))
                .isEqualTo(new PredictionEvaluator.PredictionEvaluation(1, 1, 1, 1, 1, 50, 50));
    }

    @Test
    void jobsWithoutPredictionsAreNotKept() {
        for (int job = 1; job <= 50_000; job++) {
            start(job, job);
            read(job, job + 1, "JobEnded", "{}");
        }
        assertThat(evaluator.knownJobs()).isEqualTo(10_000);

        predict(50_000, 50_000, 50_000, 50_000);
        evaluator.forget(60_000);
        assertThat(evaluator.knownJobs()).isEqualTo(9_999);
    }
}
