package dev.fermata.sim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.model.Job;
import dev.fermata.sim.TestSimulation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EstimateOverrunTest {
    private static final long[] SHORT_AT = {70_500, 70_900, 71_200, 72_400, 74_000, 78_000, 86_000, 102_000};

    /**
     * All run for ten minutes but one, which is preempted when it has outrun them, not only when the next one comes.
     */
    @ParameterizedTest
    @ValueSource(strings = {"srtf", "srsf"})
    void aJobThatOverrunsItsEstimateIsPreempted(String policy) {
        TestSimulation simulation = TestSimulation.on("1x1", policy).estimator("history");
        int id = 1;
        for (; id <= 100; id++) {
            simulation.job(Job.builder(id, 1).name("train").build(), (id - 1) * 700L, 600);
        }
        simulation.job(Job.builder(id++, 1).name("train").build(), 70_000, 360_000);
        int firstShort = id;
        for (long at : SHORT_AT) {
            simulation.job(Job.builder(id++, 1).name("train").build(), at, 600);
        }
        simulation.run();
        for (int k = 0; k < SHORT_AT.length; k++) {
            assertThat(simulation.startedMillis(firstShort + k, 1) / 1000 - SHORT_AT[k])
                    .as("seconds waited from %d s on", SHORT_AT[k])
                    .isLessThan(1200);
        }
    }
}
