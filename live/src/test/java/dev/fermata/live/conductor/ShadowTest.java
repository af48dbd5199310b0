package dev.fermata.live.conductor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import org.junit.jupiter.api.Test;

/** A shadow decides and records, and touches nothing. */
class ShadowTest {
    private final Stage stage = shadow();

    private static Stage shadow() {
        Stage stage = new Stage("fifo", 2);
        stage.shadow = true;
        return stage.restart();
    }

    @Test
    void decisionsAreLinesAndNothingElse() {
        stage.submit(Specs.gpus(1));
        assertThat(stage.history()).containsExactly("Submitted 1 by ann", "Started 1 by shadow");
        assertThat(stage.engine.orders).isEmpty();
        assertThat(stage.desk().pulse().shadow()).isTrue();
    }

    @Test
    void jobsCanBeTakenBack() {
        stage.submit(Specs.gpus(1));
        stage.get(stage.desk().cancel(Stage.ANN, 1));
        stage.later(1);
        assertThat(stage.row(1).state()).isEqualTo(JobState.CANCELLED);
        assertThat(stage.engine.orders).isEmpty();
    }

    @Test
    void whoLeadsInEarnestAfterwardsStartsThem() {
        stage.submit(Specs.gpus(1));
        stage.shadow = false;
        stage.restart();
        assertThat(stage.engine.orders).containsExactly("missing 1.1", "start 1.2 on [0]");
    }
}
