package dev.fermata.live.conductor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import org.junit.jupiter.api.Test;

/** A job that was paused for another goes where its user wants it. */
class PauseWishTest {
    private final Stage stage = new Stage("srtf", 2);

    private void pauseFirst(String onPreempt) {
        stage.pauseFirstForSecond(onPreempt);
        assertThat(stage.row(1).preemptions()).isEqualTo(1);
        stage.engine.left(1, Outcome.PAUSED, 75, "");
        stage.later(500);
        assertThat(stage.row(2).state()).isEqualTo(JobState.STARTING);
        assertThat(stage.store.runs(1).get(0).beneficiary()).isEqualTo(2);
    }

    @Test
    void backInTheQueue() {
        pauseFirst("requeue");
        assertThat(stage.row(1).state()).isEqualTo(JobState.PENDING);
        assertThat(stage.row(1).onHold()).isFalse();
        stage.engine.left(2, Outcome.COMPLETED, 0, "");
        stage.later(10);
        assertThat(stage.engine.orders).last().isEqualTo("start 1.2 on [0, 1]");
    }

    @Test
    void onHoldUntilReleased() {
        pauseFirst("hold");
        assertThat(stage.row(1).onHold()).isTrue();
        stage.engine.left(2, Outcome.COMPLETED, 0, "");
        stage.later(10);
        assertThat(stage.row(1).state()).isEqualTo(JobState.PENDING);
        stage.get(stage.desk().release(Stage.ANN, 1));
        assertThat(stage.row(1).state()).isEqualTo(JobState.STARTING);
    }

    @Test
    void cancelled() {
        pauseFirst("cancel");
        assertThat(stage.row(1).state()).isEqualTo(JobState.CANCELLED);
        assertThat(stage.history()).contains("Ended 1 by daemon");
    }
}
