package dev.fermata.insight.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.ClusterMatch;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.NodeInventory;
import dev.fermata.core.model.Topology;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A history that says which cluster it happened on. */
class RecordedClusterTest {
    private static final Topology TWO = machine("a", "b");
    /** Without b, with c. */
    private static final Topology OTHER = ClusterMatch.match(TWO, machine("a", "c"));

    private static final Topology ALL = ClusterMatch.match(OTHER, machine("a", "b", "c"));

    @TempDir
    Path folder;

    private static Topology machine(String... gpuIds) {
        return Topology.builder()
                .rack("local")
                .node(
                        "host",
                        GpuCatalogue.byName("H100"),
                        gpuIds.length,
                        64_000,
                        1000,
                        new NodeInventory("m", List.of(gpuIds), List.of()))
                .build();
    }

    private static HistoryFileBuilder job(HistoryFileBuilder file, long at, long id, int gpu) {
        return file.submitted(at, Job.builder(id, 1).build())
                .started(at, id, 1, gpu)
                .attemptEnded(at + 5000, id, 1, Outcome.COMPLETED, new Usage(0, 5000, 0, 0, 0, 0), JobState.COMPLETED);
    }

    private static HistoryRecord.CapacityChanged gpu(int gpu, boolean up, int gpusUp) {
        return new HistoryRecord.CapacityChanged(false, gpu, up, gpusUp);
    }

    private static List<HistoryRecord> capacityOf(RecordedHistory history) {
        return history.entries().stream()
                .map(RecordedEntry::record)
                .filter(record -> record instanceof HistoryRecord.CapacityChanged)
                .toList();
    }

    @Test
    void theClusterIsTheRecordedOneAndNotGuessed() throws IOException {
        RecordedHistory history = job(
                        new HistoryFileBuilder().record(0, "engine", new HistoryRecord.ClusterChanged(TWO, 2)),
                        1000,
                        1,
                        1)
                .history(folder);
        assertThat(history.cluster().topology()).isEqualTo(TWO);
        assertThat(history.cluster().name()).isEqualTo("1x2");
        assertThat(history.remarks()).isEmpty();
        assertThat(history.hasJobs()).isTrue();
        assertThat(capacityOf(history)).isEmpty();
    }

    @Test
    void aGpuIsDownWhileItIsMissingOrNotThereYet() throws IOException {
        HistoryFileBuilder file =
                new HistoryFileBuilder().record(0, "engine", new HistoryRecord.ClusterChanged(TWO, 2));
        job(file, 1000, 1, 1).record(9000, "engine", new HistoryRecord.ClusterChanged(OTHER, 2));
        job(file, 10_000, 2, 2).record(20_000, "engine", new HistoryRecord.ClusterChanged(ALL, 3));
        RecordedHistory history = job(file, 21_000, 3, 1).history(folder);
        assertThat(history.cluster().topology()).isEqualTo(ALL);
        assertThat(capacityOf(history))
                .containsExactly(gpu(2, false, 2), gpu(1, false, 2), gpu(2, true, 2), gpu(1, true, 3));
        ReplayWindow window = ReplayWindow.of(history, 10_000, Long.MAX_VALUE);
        assertThat(window.workload().requests())
                .extracting(request -> request.event())
                .contains(new Event.GpuDown(1), new Event.GpuUp(1))
                .doesNotContain(new Event.GpuDown(2));
    }

    @Test
    void aFaultOutlivesTheReturnOfItsGpu() {
        RecordedLosses losses = new RecordedLosses(ALL);
        assertThat(losses.translate(new HistoryRecord.ClusterChanged(TWO, 2))).containsExactly(gpu(2, false, 2));
        assertThat(losses.translate(gpu(1, false, 1))).containsExactly(gpu(1, false, 1));
        assertThat(losses.translate(new HistoryRecord.ClusterChanged(OTHER, 2))).containsExactly(gpu(2, true, 2));
        assertThat(losses.translate(new HistoryRecord.ClusterChanged(ALL, 2))).isEmpty();
        assertThat(losses.translate(gpu(1, true, 3))).containsExactly(gpu(1, true, 3));
        HistoryRecord other = new HistoryRecord.Held(1);
        assertThat(losses.translate(other)).containsExactly(other);
    }

    @Test
    void aRepairWhileAGpuIsMissingTakesEffectWhenItReturns() {
        RecordedLosses losses = new RecordedLosses(ALL);
        losses.translate(gpu(1, false, 1));
        losses.translate(new HistoryRecord.ClusterChanged(OTHER, 2));
        assertThat(losses.translate(gpu(1, true, 2))).isEmpty();
        assertThat(losses.translate(new HistoryRecord.ClusterChanged(ALL, 3))).containsExactly(gpu(1, true, 3));
    }

    @Test
    void aHistoryWithoutJobsIsKnownAsSuch() throws IOException {
        RecordedHistory history = new HistoryFileBuilder()
                .record(0, "engine", new HistoryRecord.ClusterChanged(TWO, 2))
                .history(folder);
        assertThat(history.hasJobs()).isFalse();
    }
}
