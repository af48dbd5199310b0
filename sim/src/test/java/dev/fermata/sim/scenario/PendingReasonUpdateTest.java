package dev.fermata.sim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.model.Job;
import dev.fermata.sim.TestSimulation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PendingReasonUpdateTest {
    /** One GPU is free on each node when C comes; then F takes one of them. */
    @Test
    void aPendingReasonFollowsItsNumbers() {
        TestSimulation simulation = TestSimulation.on("2x2", "sjf:place=consolidate")
                .job(Job.builder(1, 1).build(), 0, 20)
                .job(Job.builder(2, 1).build(), 0, 200)
                .job(Job.builder(3, 1).build(), 0, 200)
                .job(Job.builder(4, 2).name("C").build(), 30, 300)
                .job(Job.builder(5, 1).name("F").build(), 40, 50);
        List<PendingReason> pendingReasons = new ArrayList<>();
        simulation.run((now, record) -> {
            if (record instanceof HistoryRecord.Submitted && now >= 30_000) {
                pendingReasons.add(simulation.scheduler().explain(4));
            }
        });

        assertThat(pendingReasons)
                .containsExactly(new PendingReason.Fragmented(4, 2, 2), new PendingReason.Resources(4, 2, 1));
    }
}
