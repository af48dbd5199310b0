package dev.fermata.live.learning;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Speed;
import dev.fermata.history.HistoryCodec;
import dev.fermata.history.HistoryEntry;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.loop.LoopFixture;
import dev.fermata.live.loop.TestSpec;
import dev.fermata.live.profile.AttemptMeasurements;
import dev.fermata.live.profile.ProfileKey;
import dev.fermata.live.profile.ProfileMetric;
import dev.fermata.live.profile.ProfileSamples;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Co-run speeds are reported, learned, and used for the next co-location, also after a crash. */
class SpeedTrackerTest {
    private static final AttemptMeasurements ENOUGH_EVIDENCE = AttemptMeasurements.NONE
            .withUse(new AttemptMeasurements.ResourceUse(100_000, 300, 10_000))
            .withSteps(new AttemptMeasurements.Steps(50, -1, 100_000));

    private final LoopFixture fixture = new LoopFixture("fermata:pays=0", 1);

    /** One job of the program has ended, with steps of 100 ms, a busy share of 0.3 and 10 GB. */
    private void learnProgram() {
        fixture.submit(TestSpec.gpus(1));
        fixture.engine.running(1);
        fixture.advance(1000);
        fixture.engine.end(1, Outcome.COMPLETED, new Usage(0, 1000, 0, 0, 0, 1000), ENOUGH_EVIDENCE);
        fixture.advance(10);
    }

    /** Two jobs of the program on one GPU, both training. */
    private void coLocateTwo() {
        learnProgram();
        fixture.submit(TestSpec.gpus(1), TestSpec.gpus(1));
        fixture.engine.running(2);
        fixture.engine.running(3);
        fixture.advance(10);
        reportSteps(100, 3, 2, 3);
    }

    /** These jobs make a step in so many milliseconds each while time passes. */
    private void reportSteps(long stepMillis, int steps, long... jobs) {
        for (int i = 0; i < steps; i++) {
            fixture.now += stepMillis;
            step++;
            for (long job : jobs) {
                fixture.engine.report(job, fixture.now, step, 100_000);
            }
            fixture.runCycle();
        }
    }

    private long step;

    private List<Long> recordedSpeeds(long job) {
        HistoryCodec codec = new HistoryCodec(fixture.engine.topology());
        return fixture.store.entries().stream()
                .filter(entry -> entry.jobId() == job && entry.type().equals("SpeedChanged"))
                .map(entry -> ((HistoryRecord.SpeedChanged) codec.decode(entry).orElseThrow()).speedMicro())
                .toList();
    }

    private long currentSpeed(long job) {
        return Objects.requireNonNull(fixture.loop().cycle().scheduler.job(job)).speedMicro();
    }

    private void complete(long job, long usefulMillis) {
        fixture.engine.end(job, Outcome.COMPLETED, new Usage(0, usefulMillis, 0, 0, 0, usefulMillis), ENOUGH_EVIDENCE);
        fixture.advance(10);
        fixture.advance(10);
    }

    @Test
    void modelSpeedIsUsedUntilStepsAreMeasured() {
        coLocateTwo();
        fixture.advance(SpeedTracker.CHECK_MILLIS);
        assertThat(currentSpeed(2)).isEqualTo(Math.round(Speed.UNIT / 1.15));
    }

    @Test
    void measuredSpeedIsRecordedAtABoundedRate() {
        coLocateTwo();
        reportSteps(200, 100, 2, 3);

        assertThat(currentSpeed(2)).isBetween(470_000L, 530_000L);
        assertThat(recordedSpeeds(2)).hasSizeLessThanOrEqualTo(3);
        assertThat(fixture.history()).contains("SpeedChanged 2 by daemon");
    }

    /** The profile has steps of 100 ms; this job takes half of that until a neighbour arrives. */
    @Test
    void ownExclusiveSpeedCountsBeforeTheProfile() {
        learnProgram();
        fixture.submit(TestSpec.gpus(1));
        fixture.engine.running(2);
        fixture.advance(10);
        reportSteps(50, 40, 2);
        fixture.submit(TestSpec.gpus(1));
        fixture.engine.running(3);
        fixture.advance(10);
        reportSteps(100, 200, 2, 3);
        assertThat(currentSpeed(2)).isBetween(470_000L, 530_000L);
    }

    @Test
    void speedIsRestoredWhenTheNeighbourEnds() {
        coLocateTwo();
        reportSteps(200, 100, 2, 3);
        complete(3, 10_000);
        assertThat(currentSpeed(2)).isEqualTo(Speed.UNIT);
    }

    @Test
    void loadingNeighbourDoesNotSlowOthers() {
        learnProgram();
        fixture.submit(TestSpec.gpus(1), TestSpec.gpus(1));
        fixture.engine.running(2);
        fixture.engine.running(3);
        fixture.advance(10);
        fixture.engine.send(new EngineEvent.ProgressReported(
                3, 1, new EngineEvent.JobReport(fixture.now, "hello", 0, 0, "", Double.NaN), fixture.now));
        for (int i = 0; i < 50; i++) {
            reportSteps(1000, 1, 2);
        }
        assertThat(recordedSpeeds(2)).isEmpty();
    }

    /** A neighbour without reports counts as loading for its estimated load time, then as training. */
    @Test
    void silentNeighbourCountsAsWorkingAfterItsLoadTime() {
        learnProgram();
        fixture.submit(TestSpec.gpus(1), TestSpec.gpus(1));
        fixture.engine.running(2);
        fixture.engine.running(3);
        fixture.advance(10);
        fixture.advance(3_000);
        assertThat(recordedSpeeds(2)).isEmpty();
        fixture.advance(60_000);
        assertThat(recordedSpeeds(2)).containsExactly(Math.round(Speed.UNIT / 1.15));
    }

    @Test
    void unprofitableCoLocationIsNotRepeatedAlsoAfterACrash() {
        coLocateTwo();
        reportSteps(400, 40, 2, 3);
        complete(2, 10_000);
        complete(3, 10_000);
        HistoryEntry left = fixture.store.entries().stream()
                .filter(entry -> entry.type().equals("AttemptEnded") && entry.jobId() == 2)
                .findFirst()
                .orElseThrow();
        assertThat(left.body()).contains("\"coRuns\":[{\"neighbour\":\"true\"");

        fixture.restart();
        fixture.submit(TestSpec.gpus(1), TestSpec.gpus(1));
        assertThat(job(4).profile().coRunSlowdown()).containsOnlyKeys("true");
        assertThat(fixture.row(4).state()).isEqualTo(JobState.STARTING);
        assertThat(fixture.row(5).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void profitableCoLocationIsRepeated() {
        coLocateTwo();
        reportSteps(120, 120, 2, 3);
        complete(2, 10_000);
        complete(3, 10_000);
        fixture.submit(TestSpec.gpus(1), TestSpec.gpus(1));
        assertThat(job(4).profile().coRunSlowdown()).isNotEmpty();
        assertThat(fixture.row(5).state()).isEqualTo(JobState.STARTING);
    }

    @Test
    void removingAnOverrideKeepsCoRunsAndForgettingRemovesThem() {
        coLocateTwo();
        reportSteps(120, 120, 2, 3);
        complete(2, 10_000);
        complete(3, 10_000);
        ProfileKey key = fixture.runAndGet(fixture.service().profiles())
                .keySet()
                .iterator()
                .next();
        ProfileKey larger = key.onGpus(key.gpuType(), 4);
        fixture.runAndGet(fixture.service()
                .updateProfiles(
                        LoopFixture.ANN,
                        "profiles",
                        Map.of(larger, n -> n.withOverrides(Map.of(ProfileMetric.PREEMPT, 1L)))));
        fixture.runAndGet(fixture.service()
                .updateProfiles(LoopFixture.ANN, "profiles", Map.of(larger, n -> n.withOverrides(Map.of()))));
        assertThat(fixture.runAndGet(fixture.service().coRuns()).speeds(key)).isNotEmpty();

        fixture.runAndGet(
                fixture.service().updateProfiles(LoopFixture.ANN, "forget", Map.of(key, n -> ProfileSamples.NONE)));
        assertThat(fixture.runAndGet(fixture.service().coRuns()).speeds(key)).isEmpty();
    }

    private Job job(long id) {
        return Objects.requireNonNull(fixture.loop().cycle().scheduler.job(id)).job();
    }

    @Test
    void savedWorkIsCountedAtTheMeasuredSpeed() {
        coLocateTwo();
        reportSteps(200, 200, 2, 3); // 40 s, nearly all of them at half speed
        fixture.engine.end(2, Outcome.PREEMPTED, new Usage(0, 40_000, 0, 0, 0, 40_000), ENOUGH_EVIDENCE);
        fixture.advance(10);
        assertThat(Objects.requireNonNull(fixture.loop().cycle().scheduler.job(2))
                        .savedWorkMillis())
                .isBetween(18_000L, 25_000L);
    }

    @Test
    void speedsAreMeasuredAfterACrash() {
        coLocateTwo();
        reportSteps(200, 100, 2, 3);
        long before = currentSpeed(2);
        fixture.restart();
        assertThat(currentSpeed(2)).isEqualTo(before);

        reportSteps(400, 60, 2, 3);
        assertThat(currentSpeed(2)).isBetween(230_000L, 270_000L);
    }

    @Test
    void coLocatedAttemptDoesNotChangeTheExclusiveProfileAfterACrash() {
        coLocateTwo();
        fixture.restart();
        fixture.engine.end(
                2,
                Outcome.COMPLETED,
                new Usage(0, 1, 0, 0, 0, 1),
                AttemptMeasurements.NONE
                        .withUse(new AttemptMeasurements.ResourceUse(900_000, 900, 10_000))
                        .withSteps(new AttemptMeasurements.Steps(50, -1, 100_000)));
        fixture.advance(10);
        assertThat(fixture.loop().cycle().profiles.iterationMicros(programKey(), heldGpus(3)))
                .isEqualTo(100_000);
    }

    private ProfileKey programKey() {
        return ProfileKey.of(TestSpec.gpus(1).spec(), "", 0);
    }

    private Allocation heldGpus(long job) {
        return Objects.requireNonNull(
                Objects.requireNonNull(fixture.loop().cycle().scheduler.job(job))
                        .allocation());
    }

    /** Co-run measurements never shrink a memory reservation, and an unknown job never shares a GPU. */
    @Test
    void coRunsDoNotChangeMemoryReservations() {
        coLocateTwo();
        reportSteps(120, 120, 2, 3);
        complete(2, 10_000);
        complete(3, 10_000);
        fixture.submit(TestSpec.gpus(1), TestSpec.gpus(1));
        assertThat(List.of(4L, 5L)).allMatch(id -> job(id).demand().gpuMemoryMib() == 10_500);
    }
}
