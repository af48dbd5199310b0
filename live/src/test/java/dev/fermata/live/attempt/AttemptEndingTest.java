package dev.fermata.live.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Speed;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The meaning of an end, and how an attempt's time was spent. */
class AttemptEndingTest {
    private static final long ORDERED = 1_000_000;
    private static final List<TerminationCause> CAUSES = List.of(TerminationCause.values());

    private static AttemptEnding preemption(
            boolean caught, boolean killed, Integer code, AttemptEnding.ReportedMilestones reports) {
        return new AttemptEnding(
                new TerminationRequest(TerminationCause.PREEMPTION, ORDERED + 60_000, ORDERED + 90_000, caught),
                killed,
                code,
                true,
                reports);
    }

    private static Usage usage(AttemptEnding ending, long left, long every) {
        return ending.usage(ORDERED, ORDERED + left, ORDERED + left, saved(500), every, 2 * Speed.UNIT);
    }

    private static AttemptEnding.EarlierWork saved(long millis) {
        return new AttemptEnding.EarlierWork(millis, millis, false);
    }

    @ParameterizedTest
    @CsvSource({
        // caught, killed, code, hello, savedAfter, finished
        "true, false, 0, false, false, false, PREEMPTED",
        "true, false, 1, false, false, false, PREEMPTED",
        "true, false, 75, true, true, false, PREEMPTED",
        "true, false, 143, true, true, false, PREEMPTED",
        "true, false, 143, true, false, false, LOST",
        "true, false, 74, true, false, false, LOST",
        "true, false, 0, true, false, true, COMPLETED",
        "true, false, 1, true, true, true, PREEMPTED",
        "false, false, 0, false, false, false, COMPLETED",
        "false, false, 143, false, false, false, LOST",
        "false, false, 1, false, false, false, LOST",
        "true, true, 137, true, true, false, LOST",
        "true, true, 0, false, false, false, LOST"
    })
    void outcomeAfterPreemptionRequest(
            boolean caught, boolean killed, int code, boolean hello, boolean saved, boolean finished, Outcome outcome) {
        AttemptEnding.ReportedMilestones reports = new AttemptEnding.ReportedMilestones(
                hello ? ORDERED + 10 : -1, -1, saved ? ORDERED + 61_000 : hello ? ORDERED + 30_000 : -1, finished);

        assertThat(preemption(caught, killed, code, reports).outcome()).isEqualTo(outcome);
    }

    @Test
    void preemptionKeepsWorkUntilTheRequest() {
        Usage usage = usage(preemption(true, false, 0, AttemptEnding.ReportedMilestones.NONE), 70_000, 0);

        assertThat(usage).isEqualTo(new Usage(0, 60_000, 0, 10_000, 0, 500 + 120_000));
    }

    @Test
    void loadIsTheTimeBeforeTheFirstStep() {
        AttemptEnding.ReportedMilestones reports =
                new AttemptEnding.ReportedMilestones(ORDERED + 100, ORDERED + 8_000, ORDERED + 62_000, false);
        Usage usage = usage(preemption(true, false, 75, reports), 63_000, 0);

        assertThat(usage).isEqualTo(new Usage(8_000, 52_000, 0, 3_000, 0, 500 + 104_000));
    }

    @Test
    void attemptThatNeverWorkedOnlyLoaded() {
        AttemptEnding.ReportedMilestones reports = new AttemptEnding.ReportedMilestones(ORDERED + 100, -1, -1, false);
        Usage usage = usage(preemption(true, false, 143, reports), 63_000, 0);

        assertThat(usage).isEqualTo(new Usage(60_000, 0, 0, 3_000, 0, 500));
    }

    @Test
    void onlyTheLastSaveCountsAfterKill() {
        AttemptEnding.ReportedMilestones reports =
                new AttemptEnding.ReportedMilestones(ORDERED, ORDERED + 1_000, ORDERED + 41_000, false);
        Usage usage = usage(preemption(true, true, 137, reports), 90_000, 0);

        assertThat(usage).isEqualTo(new Usage(1_000, 40_000, 19_000, 30_000, 0, 500 + 80_000));
    }

    @Test
    void periodicallySavingJobLosesWorkAfterTheLastInterval() {
        Usage usage = usage(preemption(false, false, 143, AttemptEnding.ReportedMilestones.NONE), 60_010, 25_000);

        assertThat(usage).isEqualTo(new Usage(0, 50_000, 10_000, 10, 0, 500 + 100_000));
    }

    @Test
    void attemptWithoutTerminationRequestHasNoPause() {
        AttemptEnding ending = new AttemptEnding(null, false, 0, false, AttemptEnding.ReportedMilestones.NONE);
        Usage usage = ending.usage(ORDERED, ORDERED + 40_000, ORDERED + 900_000, saved(0), 0, Speed.UNIT);

        assertThat(usage).isEqualTo(new Usage(0, 40_000, 0, 0, 0, 40_000));
    }

    @Test
    void unobservedDeathIsLostAndObservedDeathFailed() {
        assertThat(new AttemptEnding(null, false, null, false, AttemptEnding.ReportedMilestones.NONE).outcome())
                .isEqualTo(Outcome.LOST);
        assertThat(new AttemptEnding(null, false, null, true, AttemptEnding.ReportedMilestones.NONE).outcome())
                .isEqualTo(Outcome.FAILED);
    }

    @Test
    void timesAddUpForAnyReports() {
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            AttemptEnding.ReportedMilestones reports = new AttemptEnding.ReportedMilestones(
                    anyTime(random), anyTime(random), anyTime(random), random.nextBoolean());
            TerminationRequest terminationRequest = random.nextInt(3) == 0
                    ? null
                    : new TerminationRequest(
                            CAUSES.get(random.nextInt(3)), anyTime(random), anyTime(random), random.nextBoolean());
            Integer code = random.nextInt(4) == 0 ? null : Integer.valueOf(random.nextInt(160));
            AttemptEnding ending =
                    new AttemptEnding(terminationRequest, random.nextBoolean(), code, random.nextBoolean(), reports);
            long left = ORDERED + random.nextInt(200_000);
            int speed = 1 + random.nextInt(8_000_000);
            long runEnd = anyTime(random);
            Usage usage = ending.usage(ORDERED, runEnd, left, saved(77), random.nextInt(2) * 9_000L, speed);
            long released = terminationRequest == null ? Math.max(ORDERED, Math.min(runEnd, left)) : left;

            assertThat(usage.loadMillis() + usage.usefulMillis() + usage.lostMillis() + usage.preemptMillis())
                    .as("%s", ending)
                    .isEqualTo(released - ORDERED);
            assertThat(usage.loadMillis()).isNotNegative();
            assertThat(usage.usefulMillis()).isNotNegative();
            assertThat(usage.lostMillis()).isNotNegative();
            assertThat(usage.preemptMillis()).isNotNegative();
            assertThat(usage.savedWorkMillis()).isEqualTo(77 + usage.usefulMillis() * speed / Speed.UNIT);
        }
    }

    private static long anyTime(Random random) {
        return random.nextInt(5) == 0 ? -1 : ORDERED - 50_000 + random.nextInt(300_000);
    }
}
