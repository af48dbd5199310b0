package dev.fermata.core.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReservationOnBusyHostTest {
    private static Job with(long id, long cpuMilli) {
        return Job.builder(id, 1)
                .demand(new Demand(1, 1, 0, 1000, List.of(), cpuMilli, 0))
                .build();
    }

    /** The second reservation needs CPU that is still held; the first, whose GPU is vacated meanwhile, still starts. */
    @Test
    void aReservationIsUsedAlthoughItsHostLackedCpuWhenItsGpuBecameFree() {
        SchedulerHarness harness = new SchedulerHarness(Topology.builder()
                .node("n", GpuCatalogue.byName("V100"), 2, 1000, 1000)
                .build());
        harness.startAndRun(with(1, 0), 0);
        harness.startAndRun(with(2, 1000), 1);
        harness.submit(with(3, 0), with(4, 1000));
        harness.apply(
                new Action.Preempt(3, harness.exclusive(0), List.of(1L), 0, 0),
                new Action.Preempt(4, harness.exclusive(1), List.of(2L), 0, 0));

        harness.end(1, Outcome.PREEMPTED);
        harness.end(2, Outcome.PREEMPTED);

        assertThat(harness.job(4).state()).isEqualTo(JobState.STARTING);
        assertThat(harness.job(3).state()).isEqualTo(JobState.STARTING);
    }
}
