package dev.fermata.sim.xonar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.sim.reproduce.Chapter;
import dev.fermata.sim.reproduce.Finding;
import dev.fermata.sim.reproduce.Lab;
import dev.fermata.sim.reproduce.xonar.XonarReproduction;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The chapter with one seed: what must come out with any. */
class XonarReproductionTest {
    private static final ExecutorService POOL = Executors.newFixedThreadPool(2);
    private static Chapter chapter;

    @BeforeAll
    static void run() {
        chapter = new XonarReproduction().run(lab());
    }

    @AfterAll
    static void close() {
        POOL.shutdownNow();
    }

    private static Lab lab() {
        return new Lab(POOL, List.of(1L), new Lab.Watcher() {
            @Override
            public void done(String piece) {}

            @Override
            public boolean stop() {
                return false;
            }
        });
    }

    private static Finding finding(String metric, String setting) {
        return chapter.findings().stream()
                .filter(f -> f.metric().equals(metric) && f.setting().contains(setting))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void nobodyRunsOutOfMemory() {
        assertThat(finding("oomFailures", "").measured().mean()).isZero();
        assertThat(finding("oomFailures", "").holds()).isTrue();
    }

    @Test
    void theModelIsWithinATenthOfTheAuthorsMeasurements() {
        List<List<String>> rows = chapter.sheets().get(0).rows();

        List<Double> differences = rows.stream()
                .filter(row -> !row.get(2).equals("-"))
                .map(row -> Double.parseDouble(row.get(1)) / Double.parseDouble(row.get(2)) - 1)
                .toList();
        assertThat(differences).hasSize(3).allMatch(d -> Math.abs(d) < 0.10);
        assertThat(finding("makespanReduction", "trial 5").holds()).isTrue();
    }

    @Test
    void queuesEndEarlierThanInOrderOfArrival() {
        assertThat(finding("makespanReduction", "queues of ten").measured().mean())
                .isPositive();
    }

    @Test
    void theTailOfAStreamIsShorter() {
        assertThat(finding("tailJctReduction", "one a minute").measured().mean())
                .isPositive();
    }
}
