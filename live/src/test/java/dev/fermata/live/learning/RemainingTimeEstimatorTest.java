package dev.fermata.live.learning;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.estimate.HistoryEstimator;
import dev.fermata.core.estimate.PastJob;
import dev.fermata.core.model.Job;
import dev.fermata.history.RemainingTime;
import dev.fermata.history.RemainingTimeEstimator;
import dev.fermata.live.loop.LoopFixture;
import dev.fermata.live.loop.SchedulingCycle;
import dev.fermata.live.loop.TestSpec;
import dev.fermata.live.profile.AttemptMeasurements;
import dev.fermata.live.spec.JobFileParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Estimated run times, observed by which jobs a short job preempts. */
class RemainingTimeEstimatorTest {
    private static final long SECOND = 1000;

    private final LoopFixture fixture = new LoopFixture("fermata", 1);

    @Test
    void declaredTimeDecides() {
        runFor(TestSpec.gpus(1).time(600 * SECOND), 60 * SECOND);
        fixture.submit(TestSpec.gpus(1).time(20 * SECOND));
        assertThat(fixture.history()).contains("Preempting 1 by policy");
    }

    @Test
    void noJobIsPreemptedForAJobOfSimilarLength() {
        runFor(TestSpec.gpus(1).time(600 * SECOND), 60 * SECOND);
        fixture.submit(TestSpec.gpus(1).time(530 * SECOND));
        assertThat(fixture.history()).doesNotContain("Preempting 1 by policy");
    }

    @Test
    void reportsCountBeforeDeclaredTimes() {
        runFor(TestSpec.gpus(1).time(600 * SECOND), 60 * SECOND);
        fixture.engine.report(1, fixture.now - 8 * SECOND, 10, 100);
        fixture.engine.report(1, fixture.now, 90, 100);
        fixture.advance(1);
        fixture.submit(TestSpec.gpus(1).time(20 * SECOND));
        assertThat(fixture.history()).doesNotContain("Preempting 1 by policy");
    }

    /** Wrong declarations of users do not reduce the trust in reported steps. */
    @Test
    void reportsCountEvenIfDeclaredTimesAreWrong() {
        int jobs = 40;
        for (int i = 1; i <= jobs; i++) {
            fixture.submit(TestSpec.gpus(1).queue("q" + i).time(100 * SECOND));
            completeAfter(i, i % 2 == 0 ? 20 * SECOND : 400 * SECOND);
        }
        fixture.submit(TestSpec.gpus(1).time(600 * SECOND));
        fixture.engine.running(jobs + 1);
        fixture.runCycle();
        fixture.advance(60 * SECOND);
        fixture.engine.report(jobs + 1, fixture.now - 8 * SECOND, 10, 100);
        fixture.engine.report(jobs + 1, fixture.now, 90, 100);
        fixture.advance(1);
        fixture.submit(TestSpec.gpus(1).queue("other").time(20 * SECOND));
        assertThat(fixture.history()).doesNotContain("Preempting " + (jobs + 1) + " by policy");
    }

    /** One estimate is declared, the other learned: the shorter job starts first. */
    @Test
    void shorterJobGoesFirstWhateverTheSource() {
        for (int i = 1; i <= 12; i++) {
            fixture.submit(TestSpec.gpus(1).queue("profileUpdate"));
            completeAfter(i, 60 * SECOND);
        }
        fixture.submit(TestSpec.gpus(1).time(5 * SECOND).named("in the way"));
        fixture.engine.running(13);
        fixture.runCycle();
        fixture.submit(TestSpec.gpus(1).queue("profileUpdate"), TestSpec.gpus(1).time(20 * SECOND));
        completeAfter(13, SECOND);
        assertThat(fixture.row(15).state()).as("20 s declared").isEqualTo(JobState.STARTING);
        assertThat(fixture.row(14).state()).as("60 s learned").isEqualTo(JobState.PENDING);
    }

    @Test
    void profilingRunsDoNotCountForRunTimes() {
        ObjectNode file = JsonNodeFactory.instance.objectNode().put("run", "python train.py");
        TestSpec whole = new TestSpec(JobFileParser.parse(file).get(0));
        file.putObject("env").put("FERMATA_PROFILE_STEPS", "20");
        TestSpec part = new TestSpec(JobFileParser.parse(file).get(0));
        for (int i = 1; i <= 4; i++) {
            fixture.submit(part);
            completeAfter(i, 2 * SECOND);
        }
        for (boolean restarted : new boolean[] {false, true}) {
            if (restarted) {
                fixture.restart();
            }
            fixture.submit(whole, part);
            List<RemainingTime.EstimateSource> sources = new ArrayList<>();
            for (long id : new long[] {5, 6}) {
                SchedulingCycle cycle = fixture.loop().cycle();
                JobView job = Objects.requireNonNull(cycle.scheduler.job(id));
                sources.add(cycle.estimator.remaining(job, fixture.now).source());
            }
            assertThat(sources)
                    .as("restarted: %s", restarted)
                    .containsExactly(RemainingTime.EstimateSource.ASSUMED, RemainingTime.EstimateSource.LEARNED);
        }
    }

    /** Without its remaining time it would be preempted again for the same job. */
    @Test
    void resumedJobKeepsItsRemainingTime() {
        ProgressReports reports = new ProgressReports();
        Job job = Job.builder(1, 1).build();
        reports.recordRemaining(1, measuredAtStep(90));
        reports.recordRemaining(1, AttemptMeasurements.NONE); // an attempt that ended before any measurement
        RemainingTimeEstimator estimator = new RemainingTimeEstimator(new HistoryEstimator(), reports);

        PastJob waits = new PastJob(job, JobState.PENDING, 1_000, 0, 0);
        assertThat(estimator.remainingMillis(waits, 3_000)).isEqualTo(10_000);
        PastJob back = new PastJob(job, JobState.RUNNING, 1_000, 2_000, 0);
        assertThat(estimator.remainingMillis(back, 3_000)).isEqualTo(8_000);
    }

    /** Measurements of a job with 100 steps of one second each. */
    private static AttemptMeasurements measuredAtStep(long saved) {
        return AttemptMeasurements.NONE
                .withUse(new AttemptMeasurements.ResourceUse(1_000_000, -1, -1))
                .withSteps(new AttemptMeasurements.Steps(saved, saved, 100));
    }

    private void completeAfter(long id, long afterMillis) {
        fixture.engine.running(id);
        fixture.advance(afterMillis);
        fixture.engine.end(
                id, Outcome.COMPLETED, new Usage(0, afterMillis, 0, 0, 0, afterMillis), AttemptMeasurements.NONE);
        fixture.runCycle();
    }

    private void runFor(TestSpec spec, long millis) {
        fixture.submit(spec);
        fixture.engine.running(1);
        fixture.runCycle();
        fixture.advance(millis);
    }
}
