package dev.fermata.app.cli.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.live.Agreements;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody asks when his job will start, before and after submitting it, and later how good the answers were. */
class ExpectedStartTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path home;

    @Test
    void expectedStartsAreToldEverywhereAndHeldAgainstTheTruth() throws IOException, InterruptedException {
        try (RunningDaemon daemon = RunningDaemon.start(home, "--policy", "fifo")) {
            String first = daemon.submit("--gpus", "2", "--time", "10m", "--name", "first", "--", "sleep 300");
            await().atMost(PATIENCE).until(() -> daemon.state(first).equals("RUNNING"));

            String tried = daemon.run("submit", "--dry-run", "--gpus", "1", "--", "true")
                    .out();
            assertThat(tried).contains("It would wait", "Expected start: in ", "nine times out of ten");

            String second = daemon.submit("--gpus", "2", "--time", "5m", "--name", "second", "--", "true");
            String held = daemon.submit("--gpus", "1", "--hold", "--", "true");
            JsonNode start = daemon.json("explain", second).path("expectedStart");
            Instant p50 = Instant.parse(start.path("p50").asText());
            Instant p90 = Instant.parse(start.path("p90").asText());
            assertThat(Duration.between(Instant.now(), p50)).isBetween(Duration.ofMinutes(7), Duration.ofMinutes(11));
            assertThat(p90).isAfter(p50);
            assertThat(start.path("scenarios").asInt()).isPositive();
            assertThat(daemon.run("explain", second).out()).contains("expected", "as likely as not");
            assertThat(daemon.run("describe", second).out()).contains("expected", "as likely as not");
            assertThat(daemon.json("explain", first).has("expectedStart")).isFalse();
            assertThat(daemon.run("explain", held).out()).contains("on hold and starts some time after its release");
            assertThat(daemon.run("ls", "--wide").out().toLowerCase(java.util.Locale.ROOT))
                    .contains("expected start")
                    .containsPattern("second.*[0-9]+m[0-9s]*–[0-9]+m");
            assertThat(daemon.run("ls").out()).doesNotContain("expected");
            assertThat(daemon.run("top").out())
                    .contains("starts in")
                    .containsPattern("second .* [0-9]+m[0-9]+s  RESOURCES");
            assertThat(daemon.json("submit", "--dry-run", "--", "true")
                            .path("expectedStart")
                            .path("p50")
                            .asText())
                    .isNotEmpty();
            await().atMost(PATIENCE)
                    .until(() -> daemon.run("events", second).out().contains("Foreseen"));

            daemon.run("cancel", first);
            await().atMost(PATIENCE).until(() -> daemon.state(second).equals("COMPLETED"));
            JsonNode right = daemon.json("diag", "starts");
            assertThat(right.path("predictions").asInt()).isPositive();
            assertThat(right.path("judged50").asInt())
                    .as("its p50 has not come yet")
                    .isZero();
            assertThat(right.path("medianErrorSeconds").asDouble()).isPositive();
            assertThat(daemon.run("diag", "starts").out()).contains("predicted start", "median error");
            assertThat(daemon.run("diag", "starts", "--days", "0").code()).isEqualTo(2);
        }
    }

    @Test
    void prometheusIsToldHowRightTheyWere() throws IOException, InterruptedException {
        try (RunningDaemon daemon = RunningDaemon.start(home, "--policy", "fifo")) {
            daemon.submit("--gpus", "2", "--time", "1s", "--", "sleep 1.5");
            String second = daemon.submit("--gpus", "2", "--time", "1s", "--", "true");
            assertThat(daemon.json("explain", second)
                            .path("expectedStart")
                            .path("p50")
                            .asText())
                    .isNotEmpty();
            await().atMost(PATIENCE)
                    .until(() -> daemon.json("diag", "starts").path("judged90").asInt() > 0);
            await().atMost(PATIENCE).until(() -> daemon.state(second).equals("COMPLETED"));
            Agreements.ofMetrics(daemon.url(), daemon.token(), home);
        }
    }
}
