package dev.fermata.research.xonar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.research.Comparison;
import dev.fermata.research.ExperimentRunner;
import dev.fermata.research.Finding;
import dev.fermata.research.ReproductionReport;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The chapter with one seed: what must come out with any. */
class XonarReproductionTest {
    private static final ExecutorService POOL = Executors.newFixedThreadPool(2);
    private static ReproductionReport report;

    @BeforeAll
    static void run() {
        report = new XonarReproduction().reproduce(runner());
    }

    @AfterAll
    static void close() {
        POOL.shutdownNow();
    }

    private static ExperimentRunner runner() {
        return new ExperimentRunner(POOL, List.of(1L), new ExperimentRunner.ProgressObserver() {
            @Override
            public void completed(String workUnit) {}

            @Override
            public boolean shouldStop() {
                return false;
            }
        });
    }

    private static Finding finding(String metric, String setting) {
        return report.findings().stream()
                .filter(f -> f.metric().equals(metric) && f.setting().contains(setting))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void noJobRunsOutOfMemory() {
        assertThat(finding("oomFailures", "").measured().mean()).isZero();
        assertThat(finding("oomFailures", "").comparison()).isEqualTo(Comparison.INSIDE);
        assertThat(finding("oomFailures", "").measured().unit()).isEqualTo("queue");
    }

    @Test
    void theModelIsWithinATenthOfTheAuthorsMeasurements() {
        List<List<String>> rows = report.tables().get(0).rows();

        List<Double> differences = rows.stream()
                .filter(row -> !row.get(2).equals("-"))
                .map(row -> Double.parseDouble(row.get(1)) / Double.parseDouble(row.get(2)) - 1)
                .toList();
        assertThat(differences).hasSize(3).allMatch(d -> Math.abs(d) < 0.10);
    }

    @Test
    void queuesEndEarlierThanUnderFifo() {
        assertThat(finding("makespanReduction", "queues of ten").measured().mean())
                .isPositive();
    }

    @Test
    void theTailOfAStreamIsShorter() {
        assertThat(finding("tailJctReduction", "one a minute").measured().mean())
                .isPositive();
    }
}
