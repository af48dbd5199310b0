package dev.fermata.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.cli.CommandRun;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.report.text.Screen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real history, with a restart in the middle, through {@code replay} and {@code tune}; and what is said when that cannot be. */
class ReplayCommandTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int JOBS = 16;

    @TempDir
    private Path home;

    @Test
    void aHistoryWithARestartIsReplayed() throws IOException, InterruptedException {
        try (RunningDaemon daemon = RunningDaemon.start(home)) {
            assertThat(daemon.run("replay").code()).isEqualTo(2);
            assertThat(daemon.run("replay").err()).contains("history is empty");
            submit(daemon, JOBS / 2);
            daemon.process().interrupt();
            daemon.process().await();
        }
        try (RunningDaemon daemon = RunningDaemon.start(home)) {
            submit(daemon, JOBS - JOBS / 2);
            await().atMost(TIMEOUT)
                    .until(() -> daemon.json("ls", "--all").size() == JOBS
                            && daemon.run("ls", "-o", "id").lines().isEmpty());

            JsonNode replay = daemon.json("replay", "--policy", "fifo,las");
            assertThat(replay.path("measured").asInt()).isEqualTo(JOBS);
            assertThat(replay.path("policy").asText()).isEqualTo("fermata");
            assertThat(replay.path("runs").findValuesAsText("policy"))
                    .containsExactly("as it was", "fermata", "fifo", "las");
            assertThat(replay.path("fidelity").findValuesAsText("metric"))
                    .contains("meanJctSeconds", "p95JctSeconds", "meanWaitSeconds", "p95WaitSeconds", "preemptions");
            assertThat(replay.path("runs")).allMatch(run -> run.path("finished").asInt() == JOBS);

            checkReplayFromFile(daemon, replay);
            checkReport(daemon);
            checkUserErrors(daemon);
        }
    }

    private static void submit(RunningDaemon daemon, int jobs) {
        for (int i = 0; i < jobs; i++) {
            daemon.submit("--name", "nap-" + i, "--", "sleep 0.3");
        }
    }

    private void checkReplayFromFile(RunningDaemon daemon, JsonNode replay) throws IOException {
        CommandRun events = daemon.run("events", "--since", "1d", "--limit", "100000", "-o", "json");
        Path file = Files.writeString(home.resolve("history.json"), events.out());

        JsonNode again = daemon.json("replay", "--policy", "fifo,las", "--events", file.toString(), "--cluster", "1x2");
        assertThat(again.path("fidelity")).isEqualTo(replay.path("fidelity"));
        JsonNode guessed = daemon.json("replay", "--policy", "fifo", "--events", file.toString());
        assertThat(guessed.path("fidelity")).isEqualTo(replay.path("fidelity"));
        assertThat(guessed.path("remarks").toString()).contains("--was").doesNotContain("--cluster");
    }

    private void checkReport(RunningDaemon daemon) throws IOException {
        Path page = home.resolve("replay.html");
        CommandRun run = daemon.run("replay", "--policy", "fifo", "--report", page.toString());
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).contains("mean JCT", "as it was", "fermata tune").doesNotContain("simulate --policy");
        assertThat(Files.readString(page))
                .contains("history replayed")
                .contains("Fidelity", "How far the simulator is off", "plot-fidelity")
                .doesNotContainPattern("mean wait</th>(?s).{0,40}class=\"bar\"") // seconds next to counts are no bars
                .contains("mean wait");
    }

    private void checkUserErrors(RunningDaemon daemon) throws IOException {
        String ada = daemon.run("token", "create", "ada").lines().get(0);
        CommandRun user = daemon.as(ada, "replay");
        assertThat(user.code()).isEqualTo(1);
        assertThat(user.err()).contains("ada (USER)").contains("operator").doesNotContain("\tat ");

        assertThat(daemon.run("replay", "--policy", "fif").err())
                .contains("'fif'")
                .contains("fifo");
        assertThat(daemon.run("replay", "--since", "soon").code()).isEqualTo(2);
        assertThat(daemon.run("replay", "--since", "1s", "--until", "1h").err()).contains("must be before");
        assertThat(daemon.run("replay", "--until", "30d").err()).contains("no job of that time has completed");
        assertThat(daemon.run("replay", "--estimator", "orakel").err()).contains("Known: live, oracle");
        assertThat(daemon.run("replay", "--cluster", "1x2").err()).contains("belongs to --events");
        assertThat(daemon.run("replay", "--events", "none.json").code()).isEqualTo(2);
        Path torn = Files.writeString(home.resolve("torn.json"), "[{\"seq\": 1, \"type\"");
        assertThat(daemon.run("replay", "--events", torn.toString()).err()).contains("torn.json:1");
        Path other = Files.writeString(home.resolve("other.json"), "[{\"a\": 1}]");
        assertThat(daemon.run("replay", "--events", other.toString()).err()).contains("is not a history entry");

        CommandRun few = daemon.run("tune", "--evaluations", "5");
        assertThat(few.code()).isEqualTo(2);
        assertThat(few.err()).contains("at least 30 jobs");
        assertThat(daemon.run("tune", "--objective", "meanJtc").err()).contains("meanJct");
        assertThat(daemon.run("tune", "--trials", "0").code()).isEqualTo(2);

        Interruption requested = new Interruption();
        requested.request();
        CommandRun interrupted = daemon.run(Screen.PIPE, requested, Map.of(), "replay");
        assertThat(interrupted.code()).isEqualTo(130);
        assertThat(interrupted.out()).isEmpty();
        assertThat(new ObjectMapper()
                        .readTree(daemon.run("replay", "--policy", "fifo", "-o", "json")
                                .out())
                        .isObject())
                .isTrue();
    }
}
