package dev.fermata.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.cli.agreement.ApiAgreementChecks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Predicted starts before and after a submission, and later how accurate they were. */
class PredictedStartTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @TempDir
    private Path home;

    @Test
    void predictedStartsAreShownEverywhereAndComparedWithActualStarts() throws IOException, InterruptedException {
        try (RunningDaemon daemon = RunningDaemon.start(home, "--policy", "fifo")) {
            String first = daemon.submit("--gpus", "2", "--time", "10m", "--name", "first", "--", "sleep 300");
            await().atMost(TIMEOUT).until(() -> daemon.state(first).equals("RUNNING"));

            String tried = daemon.run("submit", "--dry-run", "--gpus", "1", "--", "true")
                    .out();
            assertThat(tried).contains("It would wait", "Predicted start: in ", "nine times out of ten");

            String second = daemon.submit("--gpus", "2", "--time", "5m", "--name", "second", "--", "true");
            String held = daemon.submit("--gpus", "1", "--hold", "--", "true");
            JsonNode start = daemon.json("explain", second).path("predictedStart");
            Instant p50 = Instant.parse(start.path("p50").asText());
            Instant p90 = Instant.parse(start.path("p90").asText());
            Instant submitted = at(daemon, second, "Submitted");
            assertThat(at(daemon, first, "Started")).isBefore(submitted);
            assertThat(p50).isAfter(submitted);
            assertThat(p90).isAfter(p50);
            assertThat(start.path("scenarios").asInt()).isPositive();
            assertThat(daemon.run("explain", second).out()).contains("predicted", "as likely as not");
            assertThat(daemon.run("describe", second).out()).contains("predicted", "as likely as not");
            assertThat(daemon.json("explain", first).has("predictedStart")).isFalse();
            assertThat(daemon.run("explain", held).out()).contains("on hold and starts some time after its release");
            assertThat(daemon.run("ls", "--wide").out().toLowerCase(java.util.Locale.ROOT))
                    .contains("predicted start")
                    .containsPattern("second.*[0-9]+m[0-9s]*–[0-9]+m");
            assertThat(daemon.run("ls").out()).doesNotContain("predicted");
            assertThat(daemon.run("top").out())
                    .contains("starts in")
                    .containsPattern("second .* [0-9]+m[0-9]+s  RESOURCES");
            assertThat(daemon.json("submit", "--dry-run", "--", "true")
                            .path("predictedStart")
                            .path("p50")
                            .asText())
                    .isNotEmpty();
            await().atMost(TIMEOUT)
                    .until(() -> daemon.run("events", second).out().contains("StartPredicted"));

            daemon.run("cancel", first);
            await().atMost(TIMEOUT).until(() -> daemon.state(second).equals("COMPLETED"));
            JsonNode right = daemon.json("diag", "starts");
            assertThat(right.path("predictions").asInt()).isPositive();
            assertThat(right.path("evaluatedP50").asInt())
                    .as("its p50 has not come yet")
                    .isZero();
            assertThat(right.path("medianErrorSeconds").asDouble()).isPositive();
            assertThat(daemon.run("diag", "starts").out()).contains("predicted start", "median error");
            assertThat(daemon.run("diag", "starts", "--days", "0").code()).isEqualTo(2);
        }
    }

    /** When the history says that this happened to a job. */
    private static Instant at(RunningDaemon daemon, String job, String type) throws IOException {
        for (JsonNode line : daemon.json("events", job)) {
            if (line.path("type").asText().equals(type)) {
                return Instant.parse(line.path("at").asText());
            }
        }
        throw new AssertionError("no " + type + " of job " + job);
    }

    @Test
    void predictionAccuracyIsExportedToPrometheus() throws IOException, InterruptedException {
        try (RunningDaemon daemon = RunningDaemon.start(home, "--policy", "fifo")) {
            Path explained = home.resolve("explained");
            daemon.submit("--gpus", "2", "--time", "1s", "--", "while [ ! -e " + explained + " ]; do sleep 0.1; done");
            String second = daemon.submit("--gpus", "2", "--time", "1s", "--", "true");
            assertThat(daemon.json("explain", second)
                            .path("predictedStart")
                            .path("p50")
                            .asText())
                    .isNotEmpty();
            Files.createFile(explained);
            await().atMost(TIMEOUT)
                    .until(() ->
                            daemon.json("diag", "starts").path("evaluatedP90").asInt() > 0);
            await().atMost(TIMEOUT).until(() -> daemon.state(second).equals("COMPLETED"));
            ApiAgreementChecks.checkMetrics(daemon.url(), daemon.token(), home);
        }
    }
}
