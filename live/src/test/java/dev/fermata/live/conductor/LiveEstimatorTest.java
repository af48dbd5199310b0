package dev.fermata.live.conductor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What is believed about run times, seen by whom a short job may pause. */
class LiveEstimatorTest {
    private static final long SECOND = 1000;

    private final Stage stage = new Stage("fermata", 1);

    @Test
    void whatUsersSayDecides() {
        runsFor(Specs.gpus(1).time(600 * SECOND), 10 * SECOND);
        stage.submit(Specs.gpus(1).time(20 * SECOND));
        assertThat(stage.history()).contains("Pausing 1 by policy");
    }

    @Test
    void nobodyIsPausedForOneWhoTakesAsLong() {
        runsFor(Specs.gpus(1).time(600 * SECOND), 10 * SECOND);
        stage.submit(Specs.gpus(1).time(580 * SECOND));
        assertThat(stage.history()).doesNotContain("Pausing 1 by policy");
    }

    @Test
    void reportsAreBelievedBeforeUsers() {
        runsFor(Specs.gpus(1).time(600 * SECOND), 10 * SECOND);
        stage.engine.report(1, stage.now - 8 * SECOND, 10, 100);
        stage.engine.report(1, stage.now, 90, 100);
        stage.later(1);
        stage.submit(Specs.gpus(1).time(20 * SECOND));
        assertThat(stage.history()).doesNotContain("Pausing 1 by policy");
    }

    private void runsFor(Specs spec, long millis) {
        stage.submit(spec);
        stage.engine.running(1);
        stage.later(millis);
    }
}
