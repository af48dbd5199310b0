package dev.fermata.live.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Pace;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an end means, and what an attempt did with its time. */
class EndingTest {
    private static final long ORDERED = 1_000_000;
    private static final List<RunFolder.Why> WHYS = List.of(RunFolder.Why.values());

    private static Ending pause(boolean caught, boolean killed, Integer code, Ending.Reports reports) {
        return new Ending(
                new RunFolder.Leave(RunFolder.Why.PAUSE, ORDERED + 60_000, ORDERED + 90_000, caught),
                killed,
                code,
                true,
                reports);
    }

    private static Usage usage(Ending ending, long left, long every) {
        return ending.usage(ORDERED, ORDERED + left, ORDERED + left, 500, every, 2 * Pace.UNIT);
    }

    @ParameterizedTest
    @CsvSource({
        // caught, killed, code, hello, savedAfter, finished
        "true, false, 0, false, false, false, PAUSED",
        "true, false, 1, false, false, false, PAUSED",
        "true, false, 75, true, true, false, PAUSED",
        "true, false, 143, true, true, false, PAUSED",
        "true, false, 143, true, false, false, LOST",
        "true, false, 74, true, false, false, LOST",
        "true, false, 0, true, false, true, COMPLETED",
        "true, false, 1, true, true, true, PAUSED",
        "false, false, 0, false, false, false, COMPLETED",
        "false, false, 143, false, false, false, LOST",
        "false, false, 1, false, false, false, LOST",
        "true, true, 137, true, true, false, LOST",
        "true, true, 0, false, false, false, LOST"
    })
    void afterAPauseRequest(
            boolean caught, boolean killed, int code, boolean hello, boolean saved, boolean finished, Outcome outcome) {
        Ending.Reports reports = new Ending.Reports(
                hello ? ORDERED + 10 : -1, -1, saved ? ORDERED + 61_000 : hello ? ORDERED + 30_000 : -1, finished);

        assertThat(pause(caught, killed, code, reports).outcome()).isEqualTo(outcome);
    }

    @Test
    void aPauseKeepsEverythingUntilTheRequest() {
        Usage usage = usage(pause(true, false, 0, Ending.Reports.NONE), 70_000, 0);

        assertThat(usage).isEqualTo(new Usage(0, 60_000, 0, 10_000, 0, 500 + 120_000));
    }

    @Test
    void loadingIsWhatCameBeforeTheFirstStep() {
        Ending.Reports reports = new Ending.Reports(ORDERED + 100, ORDERED + 8_000, ORDERED + 62_000, false);
        Usage usage = usage(pause(true, false, 75, reports), 63_000, 0);

        assertThat(usage).isEqualTo(new Usage(8_000, 52_000, 0, 3_000, 0, 500 + 104_000));
    }

    @Test
    void anAttemptThatNeverGotToWorkDidNothingButLoad() {
        Ending.Reports reports = new Ending.Reports(ORDERED + 100, -1, -1, false);
        Usage usage = usage(pause(true, false, 143, reports), 63_000, 0);

        assertThat(usage).isEqualTo(new Usage(60_000, 0, 0, 3_000, 0, 500));
    }

    @Test
    void afterAKillOnlyTheLastSaveCounts() {
        Ending.Reports reports = new Ending.Reports(ORDERED, ORDERED + 1_000, ORDERED + 41_000, false);
        Usage usage = usage(pause(true, true, 137, reports), 90_000, 0);

        assertThat(usage).isEqualTo(new Usage(1_000, 40_000, 19_000, 30_000, 0, 500 + 80_000));
    }

    @Test
    void aJobThatSavesByItselfLosesWhatCameAfterTheLastInterval() {
        Usage usage = usage(pause(false, false, 143, Ending.Reports.NONE), 60_010, 25_000);

        assertThat(usage).isEqualTo(new Usage(0, 50_000, 10_000, 10, 0, 500 + 100_000));
    }

    @Test
    void whoWasNeverAskedToLeaveDidNotPause() {
        Ending ending = new Ending(null, false, 0, false, Ending.Reports.NONE);
        Usage usage = ending.usage(ORDERED, ORDERED + 40_000, ORDERED + 900_000, 0, 0, Pace.UNIT);

        assertThat(usage).isEqualTo(new Usage(0, 40_000, 0, 0, 0, 40_000));
    }

    @Test
    void whatDiedUnseenIsTriedAgainAndWhatDiedBeforeOurEyesHasFailed() {
        assertThat(new Ending(null, false, null, false, Ending.Reports.NONE).outcome())
                .isEqualTo(Outcome.LOST);
        assertThat(new Ending(null, false, null, true, Ending.Reports.NONE).outcome())
                .isEqualTo(Outcome.FAILED);
    }

    @Test
    void timesAlwaysAddUpWhateverAJobClaims() {
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            Ending.Reports reports = new Ending.Reports(any(random), any(random), any(random), random.nextBoolean());
            RunFolder.Leave leave = random.nextInt(3) == 0
                    ? null
                    : new RunFolder.Leave(WHYS.get(random.nextInt(3)), any(random), any(random), random.nextBoolean());
            Integer code = random.nextInt(4) == 0 ? null : Integer.valueOf(random.nextInt(160));
            Ending ending = new Ending(leave, random.nextBoolean(), code, random.nextBoolean(), reports);
            long left = ORDERED + random.nextInt(200_000);
            int pace = 1 + random.nextInt(8_000_000);
            long runEnd = any(random);
            Usage usage = ending.usage(ORDERED, runEnd, left, 77, random.nextInt(2) * 9_000L, pace);
            long gone = leave == null ? Math.max(ORDERED, Math.min(runEnd, left)) : left;

            assertThat(usage.loadMillis() + usage.usefulMillis() + usage.lostMillis() + usage.pauseMillis())
                    .as("%s", ending)
                    .isEqualTo(gone - ORDERED);
            assertThat(usage.loadMillis()).isNotNegative();
            assertThat(usage.usefulMillis()).isNotNegative();
            assertThat(usage.lostMillis()).isNotNegative();
            assertThat(usage.pauseMillis()).isNotNegative();
            assertThat(usage.savedWorkMillis()).isEqualTo(77 + usage.usefulMillis() * pace / Pace.UNIT);
        }
    }

    private static long any(Random random) {
        return random.nextInt(5) == 0 ? -1 : ORDERED - 50_000 + random.nextInt(300_000);
    }
}
