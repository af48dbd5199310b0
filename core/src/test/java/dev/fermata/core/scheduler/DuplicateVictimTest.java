package dev.fermata.core.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import java.util.List;
import org.junit.jupiter.api.Test;

class DuplicateVictimTest {
    @Test
    void aVictimMayBeNamedOnlyOnce() {
        SchedulerHarness harness = new SchedulerHarness(Topology.builder()
                .node("n", GpuCatalogue.byName("V100"), 2, 2000, 1000)
                .build());
        Demand cpu = new Demand(1, 1, 0, 1000, List.of(), 2000, 0);
        harness.startAndRun(Job.builder(1, 1).demand(cpu).build(), 0);
        harness.submit(Job.builder(2, 1).demand(cpu).build());

        Decision decision = harness.apply(new Action.Preempt(2, harness.exclusive(1), List.of(1L, 1L), 0, 0));

        assertThat(decision.records()).singleElement().isInstanceOf(HistoryRecord.ActionRejected.class);
        assertThat(decision.orders()).isEmpty();
    }
}
