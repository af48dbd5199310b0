package dev.fermata.core.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import java.util.List;
import org.junit.jupiter.api.Test;

class VictimTwiceTest {
    @Test
    void aVictimIsNamedOnce() {
        Bench bench = new Bench(Topology.builder()
                .node("n", GpuCatalogue.named("V100"), 2, 2000, 1000)
                .build());
        Demand cpu = new Demand(1, 1, 0, 1000, List.of(), 2000, 0);
        bench.runs(Job.builder(1, 1).demand(cpu).build(), 0);
        bench.submit(Job.builder(2, 1).demand(cpu).build());

        Decision decision = bench.act(new Action.Preempt(2, bench.on(1), List.of(1L, 1L), 0, 0));

        assertThat(decision.facts()).singleElement().isInstanceOf(Fact.Rejected.class);
        assertThat(decision.commands()).isEmpty();
    }
}
