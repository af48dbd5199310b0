package dev.fermata.live.learning;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Job;
import dev.fermata.live.loop.LoopFixture;
import dev.fermata.live.loop.TestSpec;
import dev.fermata.live.profile.AttemptMeasurements;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Measurements of earlier jobs affect decisions on later ones, also after a crash. */
class ProfileServiceTest {
    private static final long SECOND = 1_000;
    private static final int REPETITIONS = 5;

    private final LoopFixture fixture = new LoopFixture("xion", 1);

    private static AttemptMeasurements preempt(long millis) {
        return AttemptMeasurements.NONE.withPreemption(new AttemptMeasurements.PreemptionTimes(millis, millis / 2, 1));
    }

    private static AttemptMeasurements lostByPreemption() {
        return AttemptMeasurements.NONE.withPreemption(new AttemptMeasurements.PreemptionTimes(10, -1, 0));
    }

    private static AttemptMeasurements load(long millis) {
        return AttemptMeasurements.NONE.withLoad(new AttemptMeasurements.LoadTimes(millis, 0, 0, 0, millis));
    }

    /** A job is preempted by the engine, measured, resumed and completed. */
    private void runAndPreemptOnce(AttemptMeasurements measured) {
        long id = fixture.submit(TestSpec.gpus(1)).get(0);
        fixture.engine.running(id);
        fixture.advance(SECOND);
        fixture.engine.end(id, Outcome.PREEMPTED, 75, "", measured);
        fixture.advance(SECOND);
        fixture.engine.running(id);
        fixture.advance(SECOND);
        fixture.engine.end(id, Outcome.CANCELLED, 0, "");
        fixture.advance(SECOND);
    }

    private Job known(long id) {
        return Objects.requireNonNull(fixture.loop().cycle().scheduler.job(id)).job();
    }

    /** A job of a minute has 35 seconds left when one of ten seconds arrives. */
    private long[] submitShortWhileLongRuns() {
        long longer = fixture.submit(TestSpec.gpus(1).time(60 * SECOND)).get(0);
        fixture.engine.running(longer);
        fixture.runCycle();
        fixture.advance(25 * SECOND);
        long shorter = fixture.submit(TestSpec.gpus(1).time(10 * SECOND)).get(0);
        return new long[] {longer, shorter};
    }

    @Test
    void preemptionHappensAfterCheapPreemptionsWereMeasured() {
        // 35 s are left; 10 s plus the assumed costs are twice 5 s and twice 10 s
        long[] before = submitShortWhileLongRuns();
        assertThat(fixture.row(before[0]).state()).isEqualTo(JobState.RUNNING);
        fixture.engine.end(before[0], Outcome.CANCELLED, 0, "");
        fixture.advance(1);
        fixture.engine.running(before[1]);
        fixture.engine.end(before[1], Outcome.CANCELLED, 0, "");
        fixture.advance(1);

        for (int i = 0; i < REPETITIONS; i++) {
            runAndPreemptOnce(preempt(300));
            runAndPreemptOnce(load(500));
        }

        long[] after = submitShortWhileLongRuns();
        assertThat(fixture.row(after[0]).state()).isEqualTo(JobState.PREEMPTING);
        assertThat(fixture.history()).contains("Preempting " + after[0] + " by policy");
    }

    @Test
    void preemptionIsDeclinedAfterCostlyPreemptionsWereMeasured() {
        fixture.settings = fixture.settings.withAssumedCosts(new dev.fermata.core.model.Costs(100, 100, 0, 0));
        fixture.restart();
        long[] before = submitShortWhileLongRuns();
        assertThat(fixture.row(before[0]).state()).isEqualTo(JobState.PREEMPTING);
        fixture.engine.end(before[0], Outcome.CANCELLED, 0, "");
        fixture.advance(1);
        fixture.engine.running(before[1]);
        fixture.engine.end(before[1], Outcome.CANCELLED, 0, "");
        fixture.advance(1);

        for (int i = 0; i < REPETITIONS; i++) {
            runAndPreemptOnce(preempt(12_000));
            runAndPreemptOnce(load(15_000));
        }

        long[] after = submitShortWhileLongRuns();
        fixture.advance(SECOND);
        assertThat(fixture.row(after[0]).state()).isEqualTo(JobState.RUNNING);
        assertThat(fixture.runAndGet(fixture.service().explain(after[1])).reason())
                .isEqualTo("PREEMPTION_NOT_WORTH_IT");
    }

    @Test
    void profileSurvivesACrash() {
        runAndPreemptOnce(preempt(300));
        runAndPreemptOnce(load(700));
        fixture.restart();
        long id = fixture.submit(TestSpec.gpus(1)).get(0);

        assertThat(known(id).costs().preemptMillis()).isEqualTo(300);
        assertThat(known(id).costs().firstLoadMillis()).isEqualTo(700);
        assertThat(Objects.requireNonNull(fixture.engine.onGpus.get(id)).maxLoadMillis())
                .as("the engine waits until it has loaded")
                .isEqualTo(700);
    }

    /** Similar scripts report the end of loading; this one does not, and ends as soon as it is reported as running. */
    @Test
    void silentAttemptCountsAsRunningSinceItsStart() {
        runAndPreemptOnce(load(700));
        long id = fixture.submit(TestSpec.gpus(1)).get(0);
        fixture.advance(100 * SECOND);
        fixture.engine.running(id);
        fixture.engine.end(
                id, Outcome.COMPLETED, new Usage(0, 100 * SECOND, 0, 0, 0, 100 * SECOND), AttemptMeasurements.NONE);
        fixture.runCycle();
        assertThat(fixture.row(id).runMillis()).isEqualTo(100 * SECOND);
    }

    /** A learned profile never overrides the minimal run time that a user declares. */
    @Test
    void minRuntimeOfTheUserIsKept() {
        runAndPreemptOnce(load(700));
        long id = fixture.submit(TestSpec.gpus(1).minRuntime(4_000)).get(0);
        assertThat(known(id).minRuntimeMillis()).isEqualTo(4_000);
    }

    @Test
    void liveJobsAreUpdatedOnlyOnMaterialChanges() {
        List<Long> waiting = fixture.submit(TestSpec.gpus(1), TestSpec.gpus(1), TestSpec.gpus(1));
        long first = waiting.get(0);
        for (int i = 0; i < 20; i++) {
            fixture.engine.running(first);
            fixture.advance(SECOND);
            fixture.engine.end(first, Outcome.PREEMPTED, 75, "", preempt(1_000 + i));
            fixture.advance(1);
            first = fixture.engine.onGpus.firstKey();
        }

        assertThat(known(waiting.get(2)).costs().preemptMillis()).isEqualTo(1_000);
        assertThat(fixture.history().stream().filter(entry -> entry.startsWith("JobUpdated ")))
                .hasSize(3)
                .allMatch(entry -> entry.endsWith("by daemon"));
        String left = fixture.store.entries().stream()
                .filter(entry -> entry.type().equals("AttemptEnded"))
                .findFirst()
                .orElseThrow()
                .body();
        assertThat(left).contains("\"preemptMillis\":1000,\"saveMillis\":500,\"keptByPreemption\":1");
        assertThat(fixture.store.attempts(waiting.get(0)).get(0).measurements()).contains("\"preemptMillis\":1000");
    }

    @Test
    void programThatLosesItsWorkIsCostlyToPreempt() {
        runAndPreemptOnce(lostByPreemption());
        long id = fixture.submit(TestSpec.gpus(1)).get(0);

        assertThat(known(id).savesWithinGrace()).isFalse();
    }

    @Test
    void updatesOfManyJobsAreSpreadOverCycles() {
        TestSpec[] many = new TestSpec[1_000];
        java.util.Arrays.fill(many, TestSpec.gpus(1));
        long first = fixture.submit(many).get(0);
        fixture.engine.running(first);
        fixture.advance(SECOND);
        fixture.engine.end(first, Outcome.PREEMPTED, 75, "", preempt(900));
        int entriesBefore = fixture.store.entries().size();
        fixture.runCycle();
        assertThat(fixture.store.entries().size() - entriesBefore).isLessThan(220);
        for (int i = 0; i < 5; i++) {
            fixture.runCycle();
        }

        assertThat(known(first + 999).costs().preemptMillis()).isEqualTo(900);
        assertThat(fixture.runCycle()).isGreaterThan(fixture.now);
    }
}
