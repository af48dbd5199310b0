package dev.fermata.sim.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Profile;
import dev.fermata.sim.TestSimulation;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ElasticBoundTest {
    /** At full size it communicates between racks; on one GPU it does not and is faster than its reference. */
    @Test
    void aSmallerGangWithLessCommunicationDoesNotBeatTheBound() {
        Profile communicating = new Profile("m", 100, 1, 2000, 10, 0, Map.of());
        Job elastic = Job.builder(2, 2)
                .demand(new Demand(1, 2, 0, 1000, List.of(), 0, 0))
                .profile(communicating)
                .build();
        TestSimulation simulation = TestSimulation.on("2x1x1", "fifo")
                .job(Job.builder(1, 1).build(), 0, 2000)
                .job(elastic, 0, 1000)
                .run();

        assertThat(LowerBound.meanJctSeconds(simulation.workload(), simulation.topology()))
                .isLessThanOrEqualTo(simulation.metrics().summary().all().jct().mean());
    }
}
