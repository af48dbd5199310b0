package dev.fermata.live.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Topology;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** GPUs of several types for one job: only where it splits its batch, and with the share of each GPU. */
class SplitBatchTest {
    /** Two fast GPUs, and one of half their speed on another node. */
    private static final Topology MIXED = Topology.builder()
            .node(new GpuType("V100", 32_768, 1.0), 2)
            .node(new GpuType("T4", 16_384, 0.5), 1)
            .build();

    @Test
    void aJobThatSplitsItsBatchGetsAShareForEachGpu() {
        LoopFixture fixture = new LoopFixture("jps", MIXED);
        fixture.submit(TestSpec.gpus(1));
        fixture.submit(TestSpec.gpus(2).splitBatch());

        assertThat(fixture.engine.orders).containsExactly("start 1.1 on [0]", "start 2.1 on [1, 2]");
        List<Double> shares =
                Objects.requireNonNull(fixture.engine.onGpus.get(2L)).batchShares();
        assertThat(shares).hasSize(2);
        assertThat(shares.get(0)).isCloseTo(2.0 / 3, within(1e-9));
        assertThat(shares.get(1)).isCloseTo(1.0 / 3, within(1e-9));
        assertThat(Objects.requireNonNull(fixture.engine.onGpus.get(1L)).batchShares())
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"jps", "fermata", "fifo", "srtf"})
    void aJobThatDoesNotSplitWaitsForOneType(String policy) {
        LoopFixture fixture = new LoopFixture(policy, MIXED);
        fixture.submit(TestSpec.gpus(1));
        fixture.submit(TestSpec.gpus(2));

        assertThat(fixture.engine.orders).containsExactly("start 1.1 on [0]");
        assertThat(fixture.row(2).state()).isEqualTo(JobState.PENDING);
    }

    /** The share is computed again from the history, so a daemon that restarts tells the engine the same. */
    @Test
    void sharesSurviveARestart() {
        LoopFixture fixture = new LoopFixture("jps", MIXED);
        fixture.submit(TestSpec.gpus(1));
        fixture.submit(TestSpec.gpus(2).splitBatch());
        List<Double> before =
                Objects.requireNonNull(fixture.engine.onGpus.get(2L)).batchShares();

        fixture.restart();

        assertThat(before).hasSize(2);
        assertThat(fixture.engine.openedWith)
                .filteredOn(launch -> launch.jobId() == 2)
                .singleElement()
                .satisfies(launch -> assertThat(launch.batchShares()).isEqualTo(before));
    }
}
