package dev.fermata.research.dally;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.insight.format.ResultTable;
import dev.fermata.research.Comparison;
import dev.fermata.research.ExperimentRunner;
import dev.fermata.research.Finding;
import dev.fermata.research.FindingKind;
import dev.fermata.research.TraceFolder;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A made-up trace in the folder where the authors' would be. */
class DallyTracesTest {
    @TempDir
    private Path data;

    private final ExecutorService pool = Executors.newFixedThreadPool(2);

    @AfterEach
    void close() {
        pool.shutdownNow();
    }

    private Path write(String... models) throws IOException {
        Files.createDirectories(data.resolve("dally"));
        List<String> jobs = new ArrayList<>();
        for (String model : models) {
            jobs.add("""
                    {"job_id": "%d", "user": "u", "cpu_num": "1", "model": "%s", "batchsize": "32", "gmem": "1",
                     "arrival_time": "0", "max_parallelism": "16", "total_iterations": "16000",
                     "time_per_iteration": "3.6"}""".formatted(jobs.size() + 1, model));
        }
        return Files.writeString(data.resolve("dally").resolve("made-up.json"), "[" + String.join(",", jobs) + "]");
    }

    /** 16,000 iterations of 3.6 s are 16 GPU-hours: an hour on 16 GPUs, but for what the network takes. */
    @Test
    void jobsTrainTheAuthorsModels() throws IOException {
        Workload jobs = DallyTraces.workload(
                TraceFolder.read(write("BERT", "VGG", "ResNet50")),
                ClusterSpec.parse("2x8x8", DallyNetwork.DEFAULT.network()));

        assertThat(jobs.jobs())
                .extracting(job -> job.job().profile().model())
                .containsExactly("bert-large", "vgg11", "resnet50");
        assertThat(jobs.jobs().get(2).durationMillis()).isBetween(3_600_000L, 3_640_000L);
        assertThat(jobs.jobs().get(0).job().costs().preemptMillis())
                .as("a second for each GPU")
                .isEqualTo(16_000);
    }

    @Test
    void anUnknownModelIsNamed() throws IOException {
        Path file = write("GPT-9");

        assertThatThrownBy(() -> DallyTraces.workload(TraceFolder.read(file), ClusterSpec.parse("2x8x8")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("GPT-9");
    }

    @Test
    void aSingleRunDecidesNothing() throws IOException {
        write("BERT", "ResNet50", "MobileNetV3", "AlexNet");
        List<ResultTable> tables = new ArrayList<>();
        List<Finding> findings = new ArrayList<>();
        ExperimentRunner runner = new ExperimentRunner(pool, List.of(1L), new ExperimentRunner.ProgressObserver() {
            @Override
            public void completed(String workUnit) {}

            @Override
            public boolean shouldStop() {
                return false;
            }
        });

        DallyTraces.run(runner, data, tables, findings);

        assertThat(tables).hasSize(5);
        assertThat(findings.stream().filter(f -> f.kind() == FindingKind.PUBLISHED))
                .hasSize(6)
                .allMatch(f -> f.comparison() == Comparison.UNDECIDED);
        assertThat(findings.stream().filter(f -> f.kind() == FindingKind.DIFFERENCE))
                .allMatch(f -> f.measured().samples() == 5);
    }
}
