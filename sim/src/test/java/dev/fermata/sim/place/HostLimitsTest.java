package dev.fermata.sim.place;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.TestSimulation;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every admitted job can be placed, also where CPU and RAM, not GPUs, limit how close together. */
class HostLimitsTest {
    private static final GpuType V100 = GpuCatalogue.byName("V100");

    private static Job hungry(int gpus) {
        return Job.builder(1, gpus)
                .demand(new Demand(gpus, gpus, 0, 1000, List.of(), 1000, 0))
                .build();
    }

    @Test
    void aJobThatNoNodeCanServeAloneGetsTwoNodes() {
        Topology topology = Topology.builder()
                .node("a", V100, 2, 1500, Node.UNLIMITED)
                .node("b", V100, 2, 1500, Node.UNLIMITED)
                .build();

        TestSimulation simulation =
                TestSimulation.on(topology, "consolidate").job(hungry(2), 0, 10).run();

        assertThat(simulation.endedMillis(1, 1)).isEqualTo(10_000);
    }

    @Test
    void aRackWithTooFewCpusDoesNotHideTheNext() {
        Topology topology = Topology.builder()
                .rack()
                .node("a", V100, 2, 500, Node.UNLIMITED)
                .node("b", V100, 2, 500, Node.UNLIMITED)
                .rack()
                .node("c", V100, 2, 2000, Node.UNLIMITED)
                .node("d", V100, 2, 2000, Node.UNLIMITED)
                .node("e", V100, 2, 2000, Node.UNLIMITED)
                .build();

        TestSimulation simulation =
                TestSimulation.on(topology, "consolidate").job(hungry(4), 0, 10).run();

        assertThat(simulation.endedMillis(1, 1)).isEqualTo(10_000);
    }
}
