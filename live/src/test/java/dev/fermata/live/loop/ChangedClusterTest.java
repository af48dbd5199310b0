package dev.fermata.live.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.model.NodeInventory;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.state.GpuState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A daemon that restarts on a machine whose GPUs have changed. */
class ChangedClusterTest {
    private final LoopFixture fixture = new LoopFixture("fifo", machine("a", "b", "c", "d"));

    private static Topology machine(String... gpuIds) {
        return Topology.builder()
                .node(
                        "host",
                        LoopFixture.GPU_TYPE,
                        gpuIds.length,
                        64_000,
                        1000,
                        new NodeInventory("m", List.of(gpuIds), List.of()))
                .build();
    }

    /** Jobs 1 to 3 run on a, b and c. */
    @BeforeEach
    void threeJobsRun() {
        fixture.submit(TestSpec.gpus(1), TestSpec.gpus(1), TestSpec.gpus(1));
        for (long job = 1; job <= 3; job++) {
            fixture.engine.running(job);
        }
        fixture.advance(10);
    }

    private void restartOn(String... gpuIds) {
        fixture.engine.topology = machine(gpuIds);
        fixture.restart();
    }

    /** The devices of all attempts that the engine runs. */
    private List<String> devicesInUse() {
        List<String> devices = new ArrayList<>();
        for (Launch launch : fixture.engine.onGpus.values()) {
            for (int gpu : launch.allocation().toArray()) {
                devices.add(fixture.loop().status().topology().gpuId(gpu));
            }
        }
        return devices;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 1_000_000})
    void aGpuThatVanishesUnderAJobIsLostAndNoOtherTakesItsNumber(int snapshotEvery) {
        fixture.settings = fixture.settings.withSnapshotEveryEntries(snapshotEvery);
        fixture.restart();
        restartOn("a", "c", "d");
        fixture.submit(TestSpec.gpus(1), TestSpec.gpus(1));
        assertThat(devicesInUse()).containsExactly("a", "b", "c", "d");
        assertThat(fixture.row(5).state()).isEqualTo(JobState.PENDING);
        assertThat(fixture.service().gpus()).extracting(GpuState::up).containsExactly(true, false, true, true);
        fixture.restart(); // the same again, now from the recorded cluster
        assertThat(devicesInUse()).containsExactly("a", "b", "c", "d");
    }

    @Test
    void aGpuThatReturnsGetsItsOldNumber() {
        restartOn("a", "c", "d");
        fixture.engine.end(2, Outcome.LOST, null, "its GPU is gone");
        fixture.advance(10);
        assertThat(devicesInUse()).containsExactly("a", "d", "c");
        fixture.submit(TestSpec.gpus(1));
        assertThat(fixture.row(4).state()).isEqualTo(JobState.PENDING);
        restartOn("d", "c", "b", "a");
        assertThat(fixture.engine.orders).last().isEqualTo("start 4.1 on [1]");
        assertThat(devicesInUse()).containsExactly("a", "d", "c", "b");
    }

    @Test
    void aNewGpuIsAppendedAndUsed() {
        restartOn("new", "a", "b", "c", "d");
        fixture.submit(TestSpec.gpus(2));
        assertThat(fixture.engine.orders).last().isEqualTo("start 4.1 on [3, 4]");
        assertThat(devicesInUse()).containsExactly("a", "b", "c", "d", "new");
    }

    @Test
    void aJobThatHoldsAMissingGpuIsPassedToTheEngineWithItsOwnNumber() {
        restartOn("a", "c", "d");
        assertThat(fixture.engine.openedWith)
                .extracting(launch -> launch.jobId() + " on " + launch.allocation())
                .containsExactly("1 on [0]", "2 on [1]", "3 on [2]");
    }

    @Test
    void onlyAChangeIsRecorded() {
        fixture.restart();
        restartOn("d", "c", "b", "a");
        assertThat(fixture.history())
                .filteredOn("ClusterChanged by engine"::equals)
                .hasSize(1);
        restartOn("a");
        assertThat(fixture.history())
                .filteredOn("ClusterChanged by engine"::equals)
                .hasSize(2);
    }

    @Test
    void aMissingGpuIsNamedToAJobThatWaits() {
        restartOn("a", "b", "c");
        fixture.submit(TestSpec.gpus(3));
        assertThat(fixture.row(4).state()).isEqualTo(JobState.PENDING);
        assertThat(fixture.runAndGet(fixture.service().explain(4)).toString()).contains("GPU 3 of host is missing");
    }
}
