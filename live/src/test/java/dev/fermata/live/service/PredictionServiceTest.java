package dev.fermata.live.service;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.prediction.ClusterSnapshot;
import dev.fermata.live.loop.InMemoryStore;
import dev.fermata.live.loop.LoopFixture;
import dev.fermata.live.loop.TestSpec;
import dev.fermata.live.prediction.StartPredicted;
import dev.fermata.live.prediction.StartPrediction;
import dev.fermata.live.prediction.StartPredictor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** The loop builds snapshots for predictions, records the results, and changes nothing else. */
class PredictionServiceTest {
    /** Predicts a start in one minute for every pending job, and records the snapshots. */
    private static final class FixedPredictor implements StartPredictor {
        final List<ClusterSnapshot> snapshots = new CopyOnWriteArrayList<>();

        @Override
        public Map<Long, StartPrediction> predict(ClusterSnapshot snapshot) {
            snapshots.add(snapshot);
            Map<Long, StartPrediction> starts = new HashMap<>();
            for (SchedulerSnapshot.JobSnapshot jobSnapshot :
                    snapshot.scheduler().jobs()) {
                if (jobSnapshot.state() == JobState.PENDING && !jobSnapshot.onHold()) {
                    starts.put(jobSnapshot.job().id(), start(snapshot.nowMillis()));
                }
            }
            snapshot.hypotheticalJobs().forEach(job -> starts.put(job.id(), start(snapshot.nowMillis())));
            return starts;
        }

        private static StartPrediction start(long now) {
            return new StartPrediction(
                    now, now + 60_000, now + 90_000, 9, StartPrediction.PredictedPreemption.NONE, "");
        }
    }

    private final FixedPredictor predictor = new FixedPredictor();
    private final LoopFixture fixture = newFixture();

    private LoopFixture newFixture() {
        LoopFixture made = new LoopFixture("fifo", new InMemoryStore(), "hand", 2);
        made.predictor = predictor;
        return made.restart();
    }

    private Map<Long, StartPrediction> starts(Long... jobs) throws Exception {
        CompletableFuture<Map<Long, StartPrediction>> asked = fixture.service().predictedStarts(Set.of(jobs));
        fixture.runCycle();
        Map<Long, StartPrediction> found = asked.get(20, SECONDS);
        fixture.runCycle();
        return found;
    }

    private long recordedPredictions() {
        return fixture.store.entries().stream()
                .filter(entry -> entry.type().equals(StartPredicted.TYPE))
                .count();
    }

    @Test
    void predictionIsReturnedAndRecordedOnce() throws Exception {
        fixture.submit(TestSpec.gpus(2), TestSpec.gpus(1), TestSpec.gpus(1).held());
        SchedulerSnapshot before = fixture.loop().cycle().scheduler.snapshot();
        Map<Long, StartPrediction> starts = starts(2L);
        assertThat(starts.get(2L)).isEqualTo(FixedPredictor.start(fixture.now));
        StartPrediction held = Objects.requireNonNull(starts.get(3L));
        assertThat(held.p50Millis()).isEqualTo(StartPrediction.UNKNOWN);
        assertThat(held.note()).contains("on hold");
        assertThat(starts).doesNotContainKey(1L);
        assertThat(fixture.loop().cycle().scheduler.snapshot()).isEqualTo(before);
        assertThat(fixture.history()).contains("StartPredicted 2 by daemon");
        assertThat(recordedPredictions()).isOne();
        starts(2L);
        assertThat(predictor.snapshots).as("no change since").hasSize(1);
        assertThat(recordedPredictions()).isOne();
    }

    @Test
    void jobsSubmittedAfterAPredictionArePredictedAgain() throws Exception {
        fixture.submit(TestSpec.gpus(2), TestSpec.gpus(1));
        starts(2L);
        fixture.submit(TestSpec.gpus(1));
        assertThat(starts(3L)).containsKey(3L);
        assertThat(predictor.snapshots).hasSize(2);
        assertThat(recordedPredictions())
                .as("one entry for each of the two jobs")
                .isEqualTo(2);
    }

    @Test
    void recordedPredictionsSurviveARestart() throws Exception {
        fixture.submit(TestSpec.gpus(2), TestSpec.gpus(1));
        starts(2L);
        fixture.restart();
        assertThat(recordedPredictions()).isOne();
        assertThat(fixture.row(2).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void dryRunPredictsAStartAndRecordsNothing() throws Exception {
        fixture.submit(TestSpec.gpus(2));
        CompletableFuture<DryRunResult> answer = fixture.service()
                .dryRun(LoopFixture.ANN, TestSpec.gpus(1).named("tried").spec());
        fixture.runCycle();
        assertThat(answer.get(20, SECONDS).start()).isEqualTo(FixedPredictor.start(fixture.now));
        assertThat(recordedPredictions()).isZero();
        assertThat(predictor.snapshots.get(0).hypotheticalJobs()).hasSize(1);
    }

    @Test
    void noPredictionsWithoutAPredictor() throws Exception {
        LoopFixture blind = new LoopFixture("fifo", 1);
        blind.submit(TestSpec.gpus(1), TestSpec.gpus(1));
        assertThat(blind.service().predictedStarts(Set.of(2L)).get(20, SECONDS)).isEmpty();
    }
}
