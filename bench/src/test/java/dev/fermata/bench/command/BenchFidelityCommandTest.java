package dev.fermata.bench.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.cli.CommandRun;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real processes under a real daemon, and the same in the simulator: that all of it comes through, and that what is said follows from
 * what was recorded. How near the two are depends on the machine, and {@code fermata bench fidelity} measures it; that nothing is between
 * them but the machine is what {@link dev.fermata.bench.agreement.ReplayAgreementTest} shows, with a clock turned by hand.
 */
class BenchFidelityCommandTest {
    private static final int JOBS = 40;

    @TempDir
    private Path folder;

    @Test
    void aShortRunOfRealJobsIsRepeatedByTheSimulator() throws IOException {
        JsonNode outcome = json(
                        "bench",
                        "fidelity",
                        "--workload",
                        "trials",
                        "--jobs",
                        String.valueOf(JOBS),
                        "--seconds",
                        "8",
                        "--keep",
                        folder.toString(),
                        "--quiet")
                .path(0);

        assertThat(outcome.path("jobs").asInt()).isEqualTo(JOBS);
        assertThat(outcome.path("fidelity").findValuesAsText("metric"))
                .contains("meanJctSeconds", "p95JctSeconds", "meanWaitSeconds", "p95WaitSeconds", "preemptions");
        boolean holds = true;
        for (JsonNode line : outcome.path("fidelity")) {
            double real = line.path("real").asDouble();
            double simulated = line.path("simulated").asDouble();
            if (line.path("metric").asText().matches("mean(Jct|Wait)Seconds")) {
                assertThat(real).as(line.toString()).isPositive();
                assertThat(simulated).as(line.toString()).isPositive();
                assertThat(line.path("error").asDouble())
                        .as(line.toString())
                        .isCloseTo(simulated / real - 1, within(1e-3));
            }
            holds &= line.path("aim").isNull()
                    || Math.abs(line.path("error").asDouble())
                            <= line.path("aim").asDouble();
        }
        assertThat(outcome.path("holds").asBoolean()).isEqualTo(holds);
        assertThat(outcome.path("meanJctSecondsByEstimator").size()).isEqualTo(4);
        assertThat(outcome.path("meanJctSecondsByEstimator"))
                .allSatisfy(mean -> assertThat(mean.asDouble()).isPositive());

        Path history = folder.resolve("trials.json");
        JsonNode again = json(
                "replay", "--events", history.toString(), "--was", "fermata", "--cluster", "1x4", "--policy", "fifo");
        assertThat(again.path("measured").asInt()).isEqualTo(JOBS);
        assertThat(again.path("runs"))
                .allSatisfy(run -> assertThat(run.path("finished").asInt()).isEqualTo(JOBS));
        assertThat(again.path("fidelity"))
                .as("the same history, the same figures")
                .isEqualTo(outcome.path("fidelity"));
    }

    private static JsonNode json(String... args) throws IOException {
        String[] all = java.util.Arrays.copyOf(args, args.length + 2);
        all[args.length] = "-o";
        all[args.length + 1] = "json";
        CommandRun run = CommandRun.of(all);
        assertThat(run.code()).as(run.err()).isZero();
        return new ObjectMapper().readTree(run.out());
    }
}
