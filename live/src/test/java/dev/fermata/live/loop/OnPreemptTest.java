package dev.fermata.live.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import org.junit.jupiter.api.Test;

/** A job that was preempted for another one follows its {@code onPreempt} setting. */
class OnPreemptTest {
    private final LoopFixture fixture = new LoopFixture("srtf", 2);

    private void preemptFirst(String onPreempt) {
        fixture.preemptFirstForSecond(onPreempt);
        assertThat(fixture.row(1).preemptions()).isEqualTo(1);
        fixture.engine.end(1, Outcome.PREEMPTED, 75, "");
        fixture.advance(500);
        assertThat(fixture.row(2).state()).isEqualTo(JobState.STARTING);
        assertThat(fixture.store.attempts(1).get(0).beneficiary()).isEqualTo(2);
    }

    @Test
    void preemptedJobIsRequeued() {
        preemptFirst("requeue");
        assertThat(fixture.row(1).state()).isEqualTo(JobState.PENDING);
        assertThat(fixture.row(1).onHold()).isFalse();
        fixture.engine.end(2, Outcome.COMPLETED, 0, "");
        fixture.advance(10);
        assertThat(fixture.engine.orders).last().isEqualTo("start 1.2 on [0, 1]");
    }

    @Test
    void preemptedJobIsHeldUntilReleased() {
        preemptFirst("hold");
        assertThat(fixture.row(1).onHold()).isTrue();
        fixture.engine.end(2, Outcome.COMPLETED, 0, "");
        fixture.advance(10);
        assertThat(fixture.row(1).state()).isEqualTo(JobState.PENDING);
        fixture.runAndGet(fixture.service().release(LoopFixture.ANN, 1));
        assertThat(fixture.row(1).state()).isEqualTo(JobState.STARTING);
    }

    @Test
    void preemptedJobIsCancelled() {
        preemptFirst("cancel");
        assertThat(fixture.row(1).state()).isEqualTo(JobState.CANCELLED);
        assertThat(fixture.history()).contains("JobEnded 1 by daemon");
    }

    /** Two such jobs would take turns for ever. */
    @Test
    void aJobThatLosesItsWorkInItsThirdPreemptionIsNotPreemptedAgain() {
        fixture.preemptFirstForSecond("requeue");
        for (long other = 2; other <= 4; other++) {
            assertThat(fixture.row(1).state()).isEqualTo(JobState.PREEMPTING);
            assertThat(fixture.row(1).preemptions()).isEqualTo((int) other - 1);
            fixture.engine.end(1, Outcome.LOST, null, "");
            fixture.advance(500);
            fixture.engine.end(other, Outcome.COMPLETED, 0, "");
            fixture.advance(10);
            fixture.engine.running(1);
            fixture.advance(10);
            fixture.engine.report(1, fixture.now, 1, 100_000);
            fixture.advance(60_000);
            fixture.engine.report(1, fixture.now, 2, 100_000);
            fixture.advance(1_000);
            fixture.submit(TestSpec.gpus(1));
        }
        assertThat(fixture.row(1).state()).isEqualTo(JobState.RUNNING);
        assertThat(fixture.row(1).preemptions()).isEqualTo(3);
        fixture.restart();
        assertThat(fixture.row(1).state()).isEqualTo(JobState.RUNNING);
    }
}
