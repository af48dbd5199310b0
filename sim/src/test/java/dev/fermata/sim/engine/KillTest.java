package dev.fermata.sim.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Command;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.workload.TrueJob;
import org.junit.jupiter.api.Test;

class KillTest {
    @Test
    void aKilledAttemptSaysSoAtOnce() {
        Topology topology = ClusterSpec.parse("1x1");
        SimulatedEngine engine = new SimulatedEngine(topology, Faults.none(topology));
        engine.arrive(TrueJob.of(Job.builder(1, 1).build(), 0, 100_000));
        engine.submit(0, new Command.Start(1, 1, Allocation.of(topology, new int[] {0}, false), false));
        assertThat(engine.advance(0)).containsExactly(new Event.Running(1, 1, 1_000_000));

        engine.submit(30_000, new Command.Kill(1, 1));

        assertThat(engine.nextMillis()).as("it has something to say").isLessThanOrEqualTo(30_000);
        assertThat(engine.advance(30_000))
                .singleElement()
                .isInstanceOfSatisfying(
                        Event.Left.class, left -> assertThat(left.outcome()).isEqualTo(Outcome.CANCELLED));
    }
}
