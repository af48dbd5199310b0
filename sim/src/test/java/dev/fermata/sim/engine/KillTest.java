package dev.fermata.sim.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Order;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.workload.SimulatedJob;
import org.junit.jupiter.api.Test;

class KillTest {
    @Test
    void aKilledAttemptEndsAtOnce() {
        Topology topology = ClusterSpec.parse("1x1");
        SimulatedEngine engine = new SimulatedEngine(topology, Faults.none(topology));
        engine.addJob(SimulatedJob.of(Job.builder(1, 1).build(), 0, 100_000));
        engine.submit(0, new Order.Start(1, 1, Allocation.of(topology, new int[] {0}, false), false));
        assertThat(engine.advance(0)).containsExactly(new Event.Running(1, 1, 1_000_000));

        engine.submit(30_000, new Order.Kill(1, 1));

        assertThat(engine.nextMillis()).as("it has something to say").isLessThanOrEqualTo(30_000);
        assertThat(engine.advance(30_000))
                .singleElement()
                .isInstanceOfSatisfying(
                        Event.AttemptEnded.class,
                        left -> assertThat(left.outcome()).isEqualTo(Outcome.CANCELLED));
    }
}
