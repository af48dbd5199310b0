package dev.fermata.live.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import org.junit.jupiter.api.Test;

/** A daemon in shadow mode decides and records, and starts no job. */
class ShadowModeTest {
    private final LoopFixture fixture = shadow();

    private static LoopFixture shadow() {
        LoopFixture fixture = new LoopFixture("fifo", 2);
        fixture.shadow = true;
        return fixture.restart();
    }

    @Test
    void decisionsAreOnlyRecorded() {
        fixture.submit(TestSpec.gpus(1));
        assertThat(fixture.history())
                .containsExactly("ClusterChanged by engine", "Submitted 1 by ann", "Started 1 by shadow");
        assertThat(fixture.engine.orders).isEmpty();
        assertThat(fixture.service().health().shadow()).isTrue();
    }

    @Test
    void jobsCanBeCancelled() {
        fixture.submit(TestSpec.gpus(1));
        fixture.runAndGet(fixture.service().cancel(LoopFixture.ANN, 1));
        fixture.advance(1);
        assertThat(fixture.row(1).state()).isEqualTo(JobState.CANCELLED);
        assertThat(fixture.engine.orders).isEmpty();
    }

    @Test
    void leavingShadowModeStartsTheJobs() {
        fixture.submit(TestSpec.gpus(1));
        fixture.shadow = false;
        fixture.restart();
        assertThat(fixture.engine.orders).containsExactly("start 1.1 on [0]");
    }
}
