package dev.fermata.live.conductor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Job;
import dev.fermata.live.learn.Measured;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What was measured of earlier jobs decides about later ones, also after a crash. */
class ExperienceTest {
    private static final long SECOND = 1_000;
    private static final int LIVES = 5;

    private final Stage stage = new Stage("xion", 1);

    private static Measured pause(long millis) {
        return new Measured(-1, -1, -1, -1, -1, millis, millis / 2, 1, -1, -1, -1, -1, -1, -1, -1, -1, 0);
    }

    private static Measured lostByPause() {
        return new Measured(-1, -1, -1, -1, -1, 10, -1, 0, -1, -1, -1, -1, -1, -1, -1, -1, 0);
    }

    private static Measured load(long millis) {
        return new Measured(millis, 0, 0, 0, millis, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0);
    }

    /** A job that somebody pauses from outside shows what that takes, goes on and ends. */
    private void lived(Measured measured) {
        long id = stage.submit(Specs.gpus(1)).get(0);
        stage.engine.running(id);
        stage.later(SECOND);
        stage.engine.left(id, Outcome.PAUSED, 75, "", measured);
        stage.later(SECOND);
        stage.engine.running(id);
        stage.later(SECOND);
        stage.engine.left(id, Outcome.CANCELLED, 0, "");
        stage.later(SECOND);
    }

    private Job known(long id) {
        return Objects.requireNonNull(stage.conductor().ring().scheduler.job(id))
                .job();
    }

    /** A job of a minute has 35 seconds left when one of ten comes. */
    private long[] shortComesWhileLongRuns() {
        long longer = stage.submit(Specs.gpus(1).time(60 * SECOND)).get(0);
        stage.engine.running(longer);
        stage.turn();
        stage.later(25 * SECOND);
        long shorter = stage.submit(Specs.gpus(1).time(10 * SECOND)).get(0);
        return new long[] {longer, shorter};
    }

    @Test
    void aPauseThatTheAssumptionForbidsHappensAfterCheapOnesWereMeasured() {
        // 35 s are left against 10 s and what is assumed of pauses and loads: twice 5 s and twice 10 s
        long[] before = shortComesWhileLongRuns();
        assertThat(stage.row(before[0]).state()).isEqualTo(JobState.RUNNING);
        stage.engine.left(before[0], Outcome.CANCELLED, 0, "");
        stage.later(1);
        stage.engine.running(before[1]);
        stage.engine.left(before[1], Outcome.CANCELLED, 0, "");
        stage.later(1);

        for (int i = 0; i < LIVES; i++) {
            lived(pause(300));
            lived(load(500));
        }

        long[] after = shortComesWhileLongRuns();
        assertThat(stage.row(after[0]).state()).isEqualTo(JobState.PAUSING);
        assertThat(stage.history()).contains("Pausing " + after[0] + " by policy");
    }

    @Test
    void aPauseThatTheAssumptionAllowsIsRefusedAfterDearOnesWereMeasured() {
        stage.settings = stage.settings.withCosts(new dev.fermata.core.model.Costs(100, 100, 0, 0));
        stage.restart();
        long[] before = shortComesWhileLongRuns();
        assertThat(stage.row(before[0]).state()).isEqualTo(JobState.PAUSING);
        stage.engine.left(before[0], Outcome.CANCELLED, 0, "");
        stage.later(1);
        stage.engine.running(before[1]);
        stage.engine.left(before[1], Outcome.CANCELLED, 0, "");
        stage.later(1);

        for (int i = 0; i < LIVES; i++) {
            lived(pause(12_000));
            lived(load(15_000));
        }

        long[] after = shortComesWhileLongRuns();
        stage.later(SECOND);
        assertThat(stage.row(after[0]).state()).isEqualTo(JobState.RUNNING);
        assertThat(stage.get(stage.desk().explain(after[1])).reason()).isEqualTo("PREEMPTION_NOT_WORTH_IT");
    }

    @Test
    void afterACrashTheSameIsKnown() {
        lived(pause(300));
        lived(load(700));
        stage.restart();
        long id = stage.submit(Specs.gpus(1)).get(0);

        assertThat(known(id).costs().pauseMillis()).isEqualTo(300);
        assertThat(known(id).costs().firstLoadMillis()).isEqualTo(700);
        assertThat(Objects.requireNonNull(stage.engine.on.get(id)).loadsMillis())
                .as("it is waited for until it has loaded")
                .isEqualTo(700);
    }

    /** Scripts like it said when they had loaded; this one says nothing, and is over when it is first said to run. */
    @Test
    void oneThatWasWaitedForInVainHasRunAllTheSame() {
        lived(load(700));
        long id = stage.submit(Specs.gpus(1)).get(0);
        stage.later(100 * SECOND);
        stage.engine.running(id);
        stage.engine.left(id, Outcome.COMPLETED, new Usage(0, 100 * SECOND, 0, 0, 0, 100 * SECOND), Measured.NOTHING);
        stage.turn();
        assertThat(stage.row(id).runMillis()).isEqualTo(100 * SECOND);
    }

    /** Whatever is learned, a user's word that a job is to be left in peace for a while stands. */
    @Test
    void timeInPeaceIsForTheUserToSay() {
        lived(load(700));
        long id = stage.submit(Specs.gpus(1).minRuntime(4_000)).get(0);
        assertThat(known(id).minRuntimeMillis()).isEqualTo(4_000);
    }

    @Test
    void liveJobsHearOfItOnceAndNotOfEveryMillisecond() {
        List<Long> waiting = stage.submit(Specs.gpus(1), Specs.gpus(1), Specs.gpus(1));
        long first = waiting.get(0);
        for (int i = 0; i < 20; i++) {
            stage.engine.running(first);
            stage.later(SECOND);
            stage.engine.left(first, Outcome.PAUSED, 75, "", pause(1_000 + i));
            stage.later(1);
            first = stage.engine.on.firstKey();
        }

        assertThat(known(waiting.get(2)).costs().pauseMillis()).isEqualTo(1_000);
        assertThat(stage.history().stream().filter(line -> line.startsWith("Changed ")))
                .hasSize(3)
                .allMatch(line -> line.endsWith("by daemon"));
        String left = stage.store.lines().stream()
                .filter(line -> line.kind().equals("Left"))
                .findFirst()
                .orElseThrow()
                .body();
        assertThat(left).contains("\"pauseMillis\":1000,\"saveMillis\":500,\"keptByPause\":1");
        assertThat(stage.store.runs(waiting.get(0)).get(0).measured()).contains("\"pauseMillis\":1000");
    }

    @Test
    void aKindThatLosesItsWorkIsNotCheapToPause() {
        lived(lostByPause());
        long id = stage.submit(Specs.gpus(1)).get(0);

        assertThat(known(id).costs().pauseMillis()).isGreaterThan(known(id).graceMillis());
    }

    @Test
    void thousandsOfJobsHearOfItAFewAtATime() {
        Specs[] many = new Specs[1_000];
        java.util.Arrays.fill(many, Specs.gpus(1));
        long first = stage.submit(many).get(0);
        stage.engine.running(first);
        stage.later(SECOND);
        stage.engine.left(first, Outcome.PAUSED, 75, "", pause(900));
        int linesBefore = stage.store.lines().size();
        stage.turn();
        assertThat(stage.store.lines().size() - linesBefore).isLessThan(220);
        for (int i = 0; i < 5; i++) {
            stage.turn();
        }

        assertThat(known(first + 999).costs().pauseMillis()).isEqualTo(900);
        assertThat(stage.turn()).isGreaterThan(stage.now);
    }
}
