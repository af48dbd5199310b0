package dev.fermata.sim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.model.Job;
import dev.fermata.sim.TestSimulation;
import org.junit.jupiter.api.Test;

class StarvationTest {
    /** A sinks at 100 s, waits as long as it ran, and is back in the first queue at 200 s: it runs at 260 s. */
    @Test
    void aStarvedJobRunsInQueueOrder() {
        TestSimulation simulation = TestSimulation.on("1x1", "las:threshold=100,starvation=1")
                .job(Job.builder(1, 1).name("A").build(), 0, 300)
                .job(Job.builder(2, 1).name("B").build(), 50, 80)
                .job(Job.builder(3, 1).name("C").build(), 60, 80)
                .job(Job.builder(4, 1).name("D").build(), 70, 80)
                .run();

        assertThat(simulation.startedMillis(1, 2)).isEqualTo(260_000);
        assertThat(simulation.attemptEnded(1, 2).usage().usefulMillis())
                .as("and it is not paused again the moment it runs")
                .isGreaterThanOrEqualTo(100_000);
    }
}
