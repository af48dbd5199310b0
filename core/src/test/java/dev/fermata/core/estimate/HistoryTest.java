package dev.fermata.core.estimate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outlook;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import dev.fermata.core.policy.tune.Lifetimes;
import java.util.Arrays;
import java.util.Random;
import java.util.function.DoubleSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class HistoryTest {
    private static final long MINUTE = 60_000;
    private static final long HOUR = 60 * MINUTE;

    private final History history = new History();
    private long nextId = 1;

    private Job job(String user, String name) {
        return Job.builder(nextId++, 1).user(user).name(name).build();
    }

    private void ran(String user, String name, long millis) {
        history.noted(PastJob.of(job(user, name), JobState.COMPLETED, millis), 0);
    }

    private long median(String user, String name) {
        return history.remainingMillis(PastJob.of(job(user, name), JobState.PENDING, 0), 0);
    }

    private double[] ranMany(int jobs, DoubleSupplier hours) {
        double[] sorted = new double[jobs];
        for (int i = 0; i < jobs; i++) {
            long millis = Math.max(1, Math.round(hours.getAsDouble() * HOUR));
            sorted[i] = millis;
            ran("anna", "train-" + i, millis);
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
        double[] sorted = ranMany(3000, () -> StrictMath.exp(random.nextGaussian() * 1.5));
        for (double age : new double[] {0, 0.1, 0.5, 1, 3}) {
            long done = Math.round(age * HOUR);
            double said = history.remainingMillis(PastJob.of(job("anna", "train-x"), JobState.RUNNING, done), 0);
            double counted = medianFrom(sorted, (double) done);
            assertThat(Math.log(said / counted))
                    .as("age %s h: said %s, counted %s", age, said, counted)
                    .isCloseTo(0, within(0.35));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {5, 6, 7})
    void workPerEndIsThatOfTheJobsThatRanAsLong(long seed) {
        Random random = new Random(seed);
        double[] sorted = ranMany(3000, () -> random.nextInt(3) == 0 ? 20 + random.nextDouble() : random.nextDouble());
        for (double age : new double[] {0, 2, 8, 15}) {
            long done = Math.round(age * HOUR);
            Outlook said = history.outlook(PastJob.of(job("anna", "train-x"), JobState.RUNNING, done), 0);
            double counted = Lifetimes.leastWorkPerEnd(sorted, Ages.beginMillis(Ages.stepOf(done)));
            assertThat(Math.log(said.workPerEndMillis() / counted) / Math.log(2))
                    .as("age %s h: said %s, counted %s", age, said, counted)
                    .isCloseTo(0, within(1.0));
        }
    }

    @Test
    void whoHasRunForHoursIsNotExpectedToEndByTheMedian() {
        for (int i = 0; i < 200; i++) {
            ran("anna", "train-" + i, i % 10 == 0 ? 10 * HOUR : 10 * MINUTE);
        }
        assertThat(median("anna", "train-new")).isBetween(8 * MINUTE, 12 * MINUTE);
        PastJob old = PastJob.of(job("anna", "train-old"), JobState.RUNNING, 3 * HOUR);
        assertThat(history.remainingMillis(old, 0)).isBetween(5 * HOUR, 9 * HOUR);
    }

    @Test
    void whoGrowsOlderIsExpectedToGoOnLikeANewcomerOfThatAge() {
        Random random = new Random(8);
        ranMany(500, () -> StrictMath.exp(random.nextGaussian() * 2));
        Job growing = job("anna", "train-x");
        for (long age = 0; age < 100 * HOUR; age += 20 * MINUTE) {
            PastJob older = PastJob.of(growing, JobState.RUNNING, age);
            PastJob fresh = PastJob.of(job("anna", "train-y"), JobState.RUNNING, age);
            history.outlook(older, 0);
            assertThat(history.remainingMillis(older, 0))
                    .as("age %s min", age / MINUTE)
                    .isEqualTo(history.remainingMillis(fresh, 0));
        }
    }

    @Test
    void aUserWhoIsAlwaysLongIsExpectedToBe() {
        for (int i = 0; i < 60; i++) {
            ran("anna", "train-" + i, 10 * MINUTE);
            ran("bert", "train-" + i, 10 * HOUR);
        }
        assertThat(median("anna", "train-new")).isBetween(8 * MINUTE, 12 * MINUTE);
        assertThat(median("bert", "train-new")).isBetween(8 * HOUR, 12 * HOUR);
        assertThat(median("carl", "train-new")).as("of whom nothing is known").isBetween(8 * MINUTE, 12 * HOUR);
    }

    @Test
    void namesThatDifferOnlyInTheirNumbersAreOne() {
        for (int i = 0; i < 60; i++) {
            ran("anna", "eval_" + i, 2 * MINUTE);
            ran("anna", "train-v2-" + i, 5 * HOUR);
        }
        assertThat(median("anna", "eval_1000")).isBetween(90_000L, 150_000L);
        assertThat(median("anna", "train-v2-1000")).isBetween(4 * HOUR, 6 * HOUR);
        assertThat(Kinds.prefix("train-v2-1000")).isEqualTo("train-v");
        assertThat(Kinds.prefix("123")).isEmpty();
    }

    /** More kinds come than are remembered, and anna all the while: what is known of her helps with a name never heard. */
    @Test
    void whoComesOftenIsNotForgotten() {
        for (int i = 0; i < 20_000; i++) {
            ran("passer-by" + i, "job", 10 * MINUTE);
            if (i % 100 == 0) {
                ran("anna", "train-" + i, 10 * HOUR);
            }
        }
        assertThat(median("anna", "eval-1")).isBetween(8 * HOUR, 12 * HOUR);
    }

    /** Where users are all alike, the one job of a new user says next to nothing about the next. */
    @Test
    void whatSaysNothingIsNotListenedTo() {
        Random random = new Random(1);
        for (int i = 0; i < 3000; i++) {
            ran("user" + random.nextInt(500), "job-" + i, Math.round(HOUR * StrictMath.exp(random.nextGaussian())));
        }
        ran("newcomer", "job-1", 20 * HOUR);
        assertThat(median("newcomer", "job-2")).isBetween(HOUR * 7 / 10, HOUR * 14 / 10);
    }

    @Test
    void ofJobsNobodyKnowsTheYoungestAreTheMostLikelyToEndSoon() {
        long before = 0;
        for (long age = 0; age < 100 * HOUR; age = 2 * age + HOUR) {
            long work = history.outlook(PastJob.of(job("anna", "new"), JobState.RUNNING, age), 0)
                    .workPerEndMillis();
            assertThat(work).as("age %s h", age / HOUR).isGreaterThan(before);
            before = work;
        }
        assertThat(median("anna", "new")).isCloseTo(HOUR, within(HOUR / 5));
    }

    @ParameterizedTest
    @EnumSource(names = {"CANCELLED", "TIMEOUT", "OOM", "UNSATISFIABLE"})
    void whoDidNotEndByItselfOnlyShowsHowLongItRan(JobState state) {
        for (int i = 0; i < 50; i++) {
            history.noted(PastJob.of(job("anna", "train-" + i), state, 5 * HOUR), 0);
        }
        ran("anna", "train-0", 6 * HOUR);
        assertThat(history.version(0)).isEqualTo(1);
        assertThat(median("anna", "train-new")).isGreaterThan(5 * HOUR);
    }

    @Test
    void whoFailedHasEnded() {
        for (int i = 0; i < 50; i++) {
            history.noted(PastJob.of(job("anna", "train-" + i), JobState.FAILED, 5 * HOUR), 0);
        }
        assertThat(median("anna", "train-new")).isBetween(4 * HOUR, 6 * HOUR);
    }

    @Test
    void aStintEndsWhereItNoLongerPays() {
        for (int i = 0; i < 300; i++) {
            ran("anna", "train-" + i, i % 2 == 0 ? 10 * MINUTE : 50 * HOUR);
        }
        Outlook outlook = history.outlook(PastJob.of(job("anna", "train-x"), JobState.PENDING, 0), 0);
        Outlook.Stint brief = outlook.stint(2 * HOUR);
        assertThat(brief.chance()).isCloseTo(0.5, within(0.05));
        assertThat(brief.workMillis()).isCloseTo(10.0 * MINUTE, within(5.0 * MINUTE));
        assertThat(outlook.stint(1000 * HOUR).chance()).isGreaterThan(0.95);
        Outlook.Stint none = outlook.stint(1);
        assertThat(none.workMillis()).as("work that does not pay").isGreaterThan(none.chance());
    }

    @Test
    void everybodyIsJudgedAnewNowAndThenNotWithEveryEnd() {
        ranMany(10_000, () -> 1);
        assertThat(history.version(0)).isBetween(20L, 60L);
    }

    @Test
    void theSameJobsGiveTheSameAnswers() {
        History other = new History();
        Random random = new Random(9);
        for (int i = 0; i < 500; i++) {
            PastJob seen =
                    PastJob.of(job("user" + i % 7, "job-" + i), JobState.COMPLETED, 1 + random.nextInt(100_000_000));
            history.noted(seen, 0);
            other.noted(seen, 0);
            PastJob asked = PastJob.of(job("user" + i % 5, "job"), JobState.RUNNING, random.nextInt(10_000_000));
            assertThat(history.remainingMillis(asked, 0)).isEqualTo(other.remainingMillis(asked, 0));
        }
    }

    @Test
    void oneJobOfABlinkSaysNothingAboutOthers() {
        ran("anna", "echo", 300);
        Job other = Job.builder(nextId++, 2).user("bert").name("train").build();
        long blank =
                new History().outlook(PastJob.of(other, JobState.PENDING, 0), 0).workPerEndMillis();
        assertThat(history.outlook(PastJob.of(other, JobState.PENDING, 0), 0).workPerEndMillis())
                .isEqualTo(blank);
        for (int i = 0; i < 9; i++) {
            ran("anna", "echo", 300);
        }
        Job third = Job.builder(nextId++, 2).user("bert").name("train").build();
        assertThat(history.outlook(PastJob.of(third, JobState.PENDING, 0), 0).workPerEndMillis())
                .as("after ten of them")
                .isLessThan(blank / 100);
    }

    /** Many were over in a blink: that is no news about those who have run for less than a pause and a load take. */
    @Test
    void whoHasHardlyRunIsAsGoodAsNew() {
        for (int i = 0; i < 10; i++) {
            ran("anna", "echo", 300);
        }
        Job costly =
                Job.builder(nextId++, 1).costs(new Costs(5_000, 10_000, 0, 0)).build();
        Outlook fresh = history.outlook(PastJob.of(costly, JobState.PENDING, 0), 0);
        assertThat(fresh.untilWorkMillis()).isBetween(12_000L, 15_000L);
        for (long age : new long[] {500, 1_000, 5_000, 12_000}) {
            PastJob young = PastJob.of(costly, JobState.RUNNING, age);
            assertThat(history.outlook(young, 0).workPerEndMillis()).isEqualTo(fresh.workPerEndMillis());
        }
        PastJob older = PastJob.of(costly, JobState.RUNNING, 15_000);
        assertThat(history.outlook(older, 0).workPerEndMillis()).isGreaterThan(fresh.workPerEndMillis());

        Job free = costly.withCosts(Costs.NONE);
        assertThat(history.outlook(PastJob.of(free, JobState.RUNNING, 1_000), 0).workPerEndMillis())
                .as("whose pauses cost nothing may be tried out for as little")
                .isGreaterThan(fresh.workPerEndMillis());
    }
}
