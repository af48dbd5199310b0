package dev.fermata.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Real processes under a real daemon, and the same in the simulator. The long version is {@code fermata bench fidelity}. */
class FidelityTest {
    /** Wider than what is aimed at: few jobs, and a machine that may be busy with other tests. */
    private static final double WIDE = 0.15;

    @Test
    void aShortRunOfRealJobsIsRepeatedByTheSimulator() throws IOException {
        CommandRun run = CommandRun.of(
                "bench",
                "fidelity",
                "--workload",
                "trials",
                "--jobs",
                "40",
                "--seconds",
                "20",
                "-o",
                "json",
                "--quiet");
        assertThat(run.code()).as(run.err()).isZero();
        JsonNode outcome = new ObjectMapper().readTree(run.out()).path(0);

        assertThat(outcome.path("jobs").asInt()).isEqualTo(40);
        for (JsonNode line : outcome.path("fidelity")) {
            if (line.path("metric").asText().matches("mean(Jct|Wait)Seconds")) {
                assertThat(line.path("error").asDouble()).as(line.toString()).isBetween(-WIDE, WIDE);
            }
        }
        assertThat(outcome.path("meanJctSecondsByEstimator").size()).isEqualTo(4);
    }
}
