package dev.fermata.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.RunFeatures;
import java.util.Map;
import java.util.Random;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class SimilarRunsTest {
    /** Work is learned in steps of a thirty-second at most. */
    private static final Percentage STEP = withinPercentage(2);

    private final HistoryEstimator history = new HistoryEstimator();
    private long nextId = 1;

    private Job job(RunFeatures features) {
        return Job.builder(nextId++, 1)
                .user("ann")
                .name("try")
                .profile(Profile.UNKNOWN.withName(features.program() + features.options()))
                .features(features)
                .build();
    }

    private void run(RunFeatures features, long millis) {
        history.observe(PastJob.of(job(features), JobState.COMPLETED, millis), 0);
    }

    private PastJob pending(RunFeatures features) {
        return PastJob.of(job(features), JobState.PENDING, 0);
    }

    private long expected(RunFeatures features) {
        return history.remainingMillis(pending(features), 0);
    }

    private static RunFeatures steps(String program, long steps, Map<String, String> options) {
        return new RunFeatures(program, options, steps, 0);
    }

    private static RunFeatures steps(long steps) {
        return steps("train.py", steps, Map.of());
    }

    @Test
    void oneCompletedRunTeachesThatTimeGrowsWithTheLength() {
        run(steps(100), 60_000);
        assertThat(expected(steps(300))).isCloseTo(180_000L, STEP);
        run(new RunFeatures("fit", Map.of(), 0, 2), 50_000);
        assertThat(expected(new RunFeatures("fit", Map.of(), 0, 5))).isCloseTo(125_000L, STEP);
    }

    @Test
    void otherProgramsAndRunsThatFailedTeachNothing() {
        run(steps("other.py", 100, Map.of()), 60_000);
        history.observe(PastJob.of(job(steps(100)), JobState.FAILED, 5_000), 0);
        assertThat(history.similarRuns(pending(steps(100)), 0)).isZero();
    }

    @Test
    void runsOfSeveralLengthsShowWhatTheyTakeBeforeTheFirstStep() {
        for (int steps : new int[] {100, 200, 400}) {
            run(steps(steps), 20_000 + steps * 100L);
        }
        assertThat(expected(steps(1000))).isCloseTo(120_000, within(2_500L));
    }

    @Test
    void runsWithTheSameOptionsCountMost() {
        for (int i = 0; i < 5; i++) {
            run(steps("train.py", 100, Map.of("--net", "small")), 10_000);
            run(steps("train.py", 100, Map.of("--net", "large")), 90_000);
        }
        assertThat(expected(steps("train.py", 100, Map.of("--net", "small")))).isCloseTo(10_000L, STEP);
        assertThat(expected(steps("train.py", 100, Map.of("--net", "large")))).isCloseTo(90_000L, STEP);
    }

    @Test
    void aNumberThatScalesTheRunIsFoundWhateverItsName() {
        for (int trees : new int[] {100, 200, 300, 500, 700}) {
            run(new RunFeatures("rank.py", Map.of("--trees", Integer.toString(trees)), 0, 0), trees * 100L);
        }
        assertThat(expected(new RunFeatures("rank.py", Map.of("--trees", "1400"), 0, 0)))
                .isCloseTo(140_000, within(40_000L));
    }

    /** Without a stated length the groups of equal commands know the whole distribution, not only its middle. */
    @Test
    void equalCommandsWithoutALengthAreLeftToTheirGroup() {
        RunFeatures evaluate = new RunFeatures("evaluate.sh", Map.of(), 0, 0);
        run(evaluate, 10_000);
        assertThat(history.similarRuns(pending(evaluate), 0)).isEqualTo(1);
        run(evaluate, 10_000);
        run(evaluate, 80_000);
        assertThat(history.similarRuns(pending(evaluate), 0)).isZero();
    }

    @Test
    void aJobThatOutlastsItsLikesIsLeftToItsGroup() {
        run(steps(100), 60_000);
        assertThat(history.similarRuns(PastJob.of(job(steps(100)), JobState.RUNNING, 61_000), 0))
                .isEqualTo(1);
        assertThat(history.similarRuns(PastJob.of(job(steps(100)), JobState.RUNNING, 600_000), 0))
                .isZero();
    }

    @Test
    void nineOfTenEndWithinTheNinthDecile() {
        Random random = new Random(3);
        int within = 0;
        for (int i = 0; i < 400; i++) {
            RunFeatures features = steps(100 + random.nextInt(900));
            long actual = Math.round(features.steps() * 100 * StrictMath.exp(0.3 * random.nextGaussian()));
            if (i >= 100) {
                within += actual <= history.decilesMillis(pending(features), 0)[2] ? 1 : 0;
            }
            run(features, actual);
        }
        assertThat(within / 300.0).isBetween(0.85, 0.95);
    }
}
