package dev.fermata.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.RuntimeEstimate;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import dev.fermata.core.policy.tune.RuntimeRatios;
import java.util.Arrays;
import java.util.Random;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class HistoryEstimatorTest {
    private static final long MINUTE = 60_000;
    private static final long HOUR = 60 * MINUTE;

    private final HistoryEstimator history = new HistoryEstimator();
    private long nextId = 1;

    private Job job(String user, String name) {
        return Job.builder(nextId++, 1).user(user).name(name).build();
    }

    private void recordRun(String user, String name, long millis) {
        history.observe(PastJob.of(job(user, name), JobState.COMPLETED, millis), 0);
    }

    private long median(String user, String name) {
        return history.remainingMillis(PastJob.of(job(user, name), JobState.PENDING, 0), 0);
    }

    private double[] recordRuns(int jobs, DoubleSupplier hours) {
        double[] sorted = new double[jobs];
        for (int i = 0; i < jobs; i++) {
            long millis = Math.max(1, Math.round(hours.getAsDouble() * HOUR));
            sorted[i] = millis;
            recordRun("anna", "train-" + i, millis);
        }
        Arrays.sort(sorted);
        return sorted;
    }

    private static double medianFrom(double[] sorted, double age) {
        double[] longer = Arrays.stream(sorted).filter(d -> d > age).toArray();
        return longer[longer.length / 2] - age;
    }

    /** Counting in steps of a fifth, and spreading over two of them, may cost that much and no more. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void theMedianIsThatOfTheJobsThatRanAsLong(long seed) {
        Random random = new Random(seed);
        double[] sorted = recordRuns(3000, () -> StrictMath.exp(random.nextGaussian() * 1.5));
        for (double age : new double[] {0, 0.1, 0.5, 1, 3}) {
            long done = Math.round(age * HOUR);
            double estimated = history.remainingMillis(PastJob.of(job("anna", "train-x"), JobState.RUNNING, done), 0);
            double counted = medianFrom(sorted, (double) done);
            assertThat(Math.log(estimated / counted))
                    .as("age %s h: estimated %s, counted %s", age, estimated, counted)
                    .isCloseTo(0, within(0.35));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {5, 6, 7})
    void workPerCompletionIsThatOfTheJobsThatRanAsLong(long seed) {
        Random random = new Random(seed);
        double[] sorted =
                recordRuns(3000, () -> random.nextInt(3) == 0 ? 20 + random.nextDouble() : random.nextDouble());
        for (double age : new double[] {0, 2, 8, 15}) {
            long done = Math.round(age * HOUR);
            RuntimeEstimate estimated =
                    history.runtimeEstimate(PastJob.of(job("anna", "train-x"), JobState.RUNNING, done), 0);
            double counted = RuntimeRatios.minWorkPerCompletion(sorted, AgeSteps.beginMillis(AgeSteps.stepOf(done)));
            assertThat(Math.log(estimated.workPerCompletionMillis() / counted) / Math.log(2))
                    .as("age %s h: estimated %s, counted %s", age, estimated, counted)
                    .isCloseTo(0, within(1.0));
        }
    }

    @Test
    void aJobThatRanForHoursIsNotExpectedToEndByTheMedian() {
        for (int i = 0; i < 200; i++) {
            recordRun("anna", "train-" + i, i % 10 == 0 ? 10 * HOUR : 10 * MINUTE);
        }
        assertThat(median("anna", "train-new")).isBetween(8 * MINUTE, 12 * MINUTE);
        PastJob old = PastJob.of(job("anna", "train-old"), JobState.RUNNING, 3 * HOUR);
        assertThat(history.remainingMillis(old, 0)).isBetween(5 * HOUR, 9 * HOUR);
    }

    @Test
    void anAgingJobIsEstimatedLikeOthersOfThatAge() {
        Random random = new Random(8);
        recordRuns(500, () -> StrictMath.exp(random.nextGaussian() * 2));
        Job growing = job("anna", "train-x");
        for (long age = 0; age < 100 * HOUR; age += 20 * MINUTE) {
            PastJob older = PastJob.of(growing, JobState.RUNNING, age);
            PastJob fresh = PastJob.of(job("anna", "train-y"), JobState.RUNNING, age);
            history.runtimeEstimate(older, 0);
            assertThat(history.remainingMillis(older, 0))
                    .as("age %s min", age / MINUTE)
                    .isEqualTo(history.remainingMillis(fresh, 0));
        }
    }

    @Test
    void aUserWithLongJobsGetsLongEstimates() {
        for (int i = 0; i < 60; i++) {
            recordRun("anna", "train-" + i, 10 * MINUTE);
            recordRun("bert", "train-" + i, 10 * HOUR);
        }
        assertThat(median("anna", "train-new")).isBetween(8 * MINUTE, 12 * MINUTE);
        assertThat(median("bert", "train-new")).isBetween(8 * HOUR, 12 * HOUR);
        assertThat(median("carl", "train-new")).as("of an unknown user").isBetween(8 * MINUTE, 12 * HOUR);
    }

    @Test
    void namesThatDifferOnlyInTheirNumbersAreOneGroup() {
        for (int i = 0; i < 60; i++) {
            recordRun("anna", "eval_" + i, 2 * MINUTE);
            recordRun("anna", "train-v2-" + i, 5 * HOUR);
        }
        assertThat(median("anna", "eval_1000")).isBetween(90_000L, 150_000L);
        assertThat(median("anna", "train-v2-1000")).isBetween(4 * HOUR, 6 * HOUR);
        assertThat(JobGroups.prefix("train-v2-1000")).isEqualTo("train-v");
        assertThat(JobGroups.prefix("123")).isEmpty();
    }

    /** More groups appear than are kept, and anna's all the while: her history helps with an unknown name. */
    @Test
    void aFrequentGroupIsNotEvicted() {
        for (int i = 0; i < 20_000; i++) {
            recordRun("passer-by" + i, "job", 10 * MINUTE);
            if (i % 100 == 0) {
                recordRun("anna", "train-" + i, 10 * HOUR);
            }
        }
        assertThat(median("anna", "eval-1")).isBetween(8 * HOUR, 12 * HOUR);
    }

    /** Where users are all alike, the one job of a new user changes the next estimate hardly. */
    @Test
    void uninformativeAttributesAreIgnored() {
        Random random = new Random(1);
        for (int i = 0; i < 3000; i++) {
            recordRun(
                    "user" + random.nextInt(500), "job-" + i, Math.round(HOUR * StrictMath.exp(random.nextGaussian())));
        }
        recordRun("newcomer", "job-1", 20 * HOUR);
        assertThat(median("newcomer", "job-2")).isBetween(HOUR * 7 / 10, HOUR * 14 / 10);
    }

    @Test
    void amongUnknownJobsTheYoungestAreMostLikelyToEndSoon() {
        long before = 0;
        for (long age = 0; age < 100 * HOUR; age = 2 * age + HOUR) {
            long work = history.runtimeEstimate(PastJob.of(job("anna", "new"), JobState.RUNNING, age), 0)
                    .workPerCompletionMillis();
            assertThat(work).as("age %s h", age / HOUR).isGreaterThan(before);
            before = work;
        }
        assertThat(median("anna", "new")).isCloseTo(HOUR, within(HOUR / 5));
    }

    @ParameterizedTest
    @EnumSource(names = {"CANCELLED", "TIMEOUT", "OOM", "UNSATISFIABLE"})
    void aCancelledJobIsCensoredAtItsRunTime(JobState state) {
        for (int i = 0; i < 50; i++) {
            history.observe(PastJob.of(job("anna", "train-" + i), state, 5 * HOUR), 0);
        }
        recordRun("anna", "train-0", 6 * HOUR);
        assertThat(history.version(0)).isEqualTo(1);
        assertThat(median("anna", "train-new")).isGreaterThan(5 * HOUR);
    }

    @Test
    void aFailedJobCountsAsEnded() {
        for (int i = 0; i < 50; i++) {
            history.observe(PastJob.of(job("anna", "train-" + i), JobState.FAILED, 5 * HOUR), 0);
        }
        assertThat(median("anna", "train-new")).isBetween(4 * HOUR, 6 * HOUR);
    }

    @Test
    void aQuantumEndsWhereItNoLongerPays() {
        for (int i = 0; i < 300; i++) {
            recordRun("anna", "train-" + i, i % 2 == 0 ? 10 * MINUTE : 50 * HOUR);
        }
        RuntimeEstimate estimate = history.runtimeEstimate(PastJob.of(job("anna", "train-x"), JobState.PENDING, 0), 0);
        RuntimeEstimate.Quantum brief = estimate.bestQuantum(2 * HOUR);
        assertThat(brief.completionProbability()).isCloseTo(0.5, within(0.05));
        assertThat(brief.expectedWorkMillis()).isCloseTo(10.0 * MINUTE, within(5.0 * MINUTE));
        assertThat(estimate.bestQuantum(1000 * HOUR).completionProbability()).isGreaterThan(0.95);
        RuntimeEstimate.Quantum none = estimate.bestQuantum(1);
        assertThat(none.expectedWorkMillis()).as("work that does not pay").isGreaterThan(none.completionProbability());
    }

    @Test
    void estimatesAreRefreshedPeriodicallyNotOnEveryEnd() {
        recordRuns(10_000, () -> 1);
        assertThat(history.version(0)).isBetween(20L, 60L);
    }

    @Test
    void theSameJobsGiveTheSameAnswers() {
        HistoryEstimator other = new HistoryEstimator();
        Random random = new Random(9);
        for (int i = 0; i < 500; i++) {
            PastJob seen =
                    PastJob.of(job("user" + i % 7, "job-" + i), JobState.COMPLETED, 1 + random.nextInt(100_000_000));
            history.observe(seen, 0);
            other.observe(seen, 0);
            PastJob asked = PastJob.of(job("user" + i % 5, "job"), JobState.RUNNING, random.nextInt(10_000_000));
            assertThat(history.remainingMillis(asked, 0)).isEqualTo(other.remainingMillis(asked, 0));
        }
    }

    @Test
    void oneVeryShortJobDoesNotChangeOtherEstimates() {
        recordRun("anna", "echo", 300);
        Job other = Job.builder(nextId++, 2).user("bert").name("train").build();
        long blank = new HistoryEstimator()
                .runtimeEstimate(PastJob.of(other, JobState.PENDING, 0), 0)
                .workPerCompletionMillis();
        assertThat(history.runtimeEstimate(PastJob.of(other, JobState.PENDING, 0), 0)
                        .workPerCompletionMillis())
                .isEqualTo(blank);
        for (int i = 0; i < 9; i++) {
            recordRun("anna", "echo", 300);
        }
        Job third = Job.builder(nextId++, 2).user("bert").name("train").build();
        assertThat(history.runtimeEstimate(PastJob.of(third, JobState.PENDING, 0), 0)
                        .workPerCompletionMillis())
                .as("after ten of them")
                .isLessThan(blank / 100);
    }

    /** Many jobs were very short: that does not affect jobs that have run for less than a preemption and a load take. */
    @Test
    void aJobThatHasHardlyRunCountsAsNew() {
        for (int i = 0; i < 10; i++) {
            recordRun("anna", "echo", 300);
        }
        Job costly =
                Job.builder(nextId++, 1).costs(new Costs(5_000, 10_000, 0, 0)).build();
        RuntimeEstimate fresh = history.runtimeEstimate(PastJob.of(costly, JobState.PENDING, 0), 0);
        assertThat(fresh.validUntilWorkMillis()).isBetween(12_000L, 15_000L);
        for (long age : new long[] {500, 1_000, 5_000, 12_000}) {
            PastJob young = PastJob.of(costly, JobState.RUNNING, age);
            assertThat(history.runtimeEstimate(young, 0).workPerCompletionMillis())
                    .isEqualTo(fresh.workPerCompletionMillis());
        }
        PastJob older = PastJob.of(costly, JobState.RUNNING, 15_000);
        assertThat(history.runtimeEstimate(older, 0).workPerCompletionMillis())
                .isGreaterThan(fresh.workPerCompletionMillis());

        Job free = costly.withCosts(Costs.NONE);
        assertThat(history.runtimeEstimate(PastJob.of(free, JobState.RUNNING, 1_000), 0)
                        .workPerCompletionMillis())
                .as("jobs with free preemptions may be tried for a short time")
                .isGreaterThan(fresh.workPerCompletionMillis());
    }

    /** Else a policy would be woken every millisecond to look at it again. */
    @Test
    void theEstimateOfTheOldestJobsHoldsForEver() {
        long centuries = 200L * 365 * 24 * HOUR;
        RuntimeEstimate estimate =
                history.runtimeEstimate(PastJob.of(job("anna", "train-x"), JobState.RUNNING, centuries), 0);
        assertThat(estimate.validUntilWorkMillis()).isEqualTo(Plan.NEVER);
    }
}
