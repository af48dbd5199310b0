package dev.fermata.core.cycle;

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

class PromiseOnCrowdedHostTest {
    private static Job with(long id, long cpuMilli) {
        return Job.builder(id, 1)
                .demand(new Demand(1, 1, 0, 1000, List.of(), cpuMilli, 0))
                .build();
    }

    /** The second promise borrows CPU that is still held; the first, whose GPU is vacated meanwhile, is not forgotten. */
    @Test
    void aPromiseIsKeptThoughItsHostWasShortOfCpuWhenItsGpuCameFree() {
        Bench bench = new Bench(Topology.builder()
                .node("n", GpuCatalogue.named("V100"), 2, 1000, 1000)
                .build());
        bench.runs(with(1, 0), 0);
        bench.runs(with(2, 1000), 1);
        bench.submit(with(3, 0), with(4, 1000));
        bench.act(
                new Action.Preempt(3, bench.on(0), List.of(1L), 0, 0),
                new Action.Preempt(4, bench.on(1), List.of(2L), 0, 0));

        bench.left(1, Outcome.PAUSED);
        bench.left(2, Outcome.PAUSED);

        assertThat(bench.job(4).state()).isEqualTo(JobState.STARTING);
        assertThat(bench.job(3).state()).isEqualTo(JobState.STARTING);
    }
}
