package dev.fermata.research.xion;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.insight.format.ResultTable;
import dev.fermata.research.ExperimentRunner;
import dev.fermata.research.Finding;
import dev.fermata.research.FindingKind;
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

/** Made-up traces in the folder where the author's would be. */
class XionTracesTest {
    private static final int DAY = 86_400;

    @TempDir
    private Path data;

    private final ExecutorService pool = Executors.newFixedThreadPool(2);
    private final List<ResultTable> tables = new ArrayList<>();
    private final XionFindings findings = new XionFindings();

    @AfterEach
    void close() {
        pool.shutdownNow();
    }

    private void run() {
        ExperimentRunner runner = new ExperimentRunner(
                pool,
                List.of(1L),
                new ExperimentRunner.ProgressObserver() {
                    @Override
                    public void completed(String workUnit) {}

                    @Override
                    public boolean shouldStop() {
                        return false;
                    }
                },
                data);
        XionTraces.run(runner, data, tables, findings);
    }

    private void write(String name, String text) throws IOException {
        Files.createDirectories(data.resolve("xion"));
        Files.writeString(data.resolve("xion").resolve(name), text);
    }

    /** Two jobs of the whole cluster at once, ten days and one: in order 10 and 11 days, shortest first 1 and 11. */
    @Test
    void everyTraceIsASample() throws IOException {
        write("costs.yaml", "a: {pauseSeconds: 10, buildSeconds: 10, restoreSeconds: 10, warmupSeconds: 10}\n");
        String header = "id,submit_s,gpus,duration_s,model\n";
        write("0e4a51.csv", header + "1,0,128," + 10 * DAY + ",a\n2,0,128," + DAY + ",a\n");
        write("made-up.csv", header + "1,0,128," + 4 * DAY + ",a\n2,0,128," + DAY + ",a\n");

        run();

        assertThat(XionTraces.workUnits(data)).isEqualTo(2 * 9);
        assertThat(tables.get(0).columns()).startsWith("trace", "fifo", "sjf", "srtf", "srsf", "las", "gittins");
        assertThat(tables.get(0).rows().get(0)).startsWith("0e4a51", "10.5", "6.0", "6.0");
        assertThat(tables.get(0).rows().get(1)).startsWith("made-up", "4.5", "3.0");
        assertThat(tables.get(1).title()).contains("log", "0e4a51");
        List<Finding> published = findings.all().stream()
                .filter(f -> f.kind() == FindingKind.PUBLISHED)
                .toList();
        assertThat(published).hasSize(2);
        assertThat(published.get(0).measured().samples()).isEqualTo(2);
        assertThat(published.get(0).measured().unit()).isEqualTo("trace");
        assertThat(published.get(0).measured().mean()).as("nothing to preempt").isZero();
    }

    @Test
    void aFolderWithoutTracesIsNamed() {
        run();

        assertThat(findings.all()).isEmpty();
        assertThat(tables).hasSize(1);
        assertThat(tables.get(0).rows().get(0).get(0)).isEqualTo("no traces in " + data.resolve("xion"));
    }
}
