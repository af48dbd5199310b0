package dev.fermata.app.cli.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.cli.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes of an unknown kind: one shows what they need, across a restart of the daemon, and then they share the GPU. */
class ProfileFirstTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Stops at step 3 until it may go on, and at the end when it is told that it is enough. */
    private static final String TRAIN = """
            import os, sys, time
            import fermata
            fermata.gpu(memory_mib=20000, busy=0.3)
            state = {"done": []}
            def save(path):
                open(path, "w").write(" ".join(map(str, state["done"])))
            def load(path):
                state["done"] = list(map(int, open(path).read().split()))
            for step in fermata.steps(100000, save=save, load=load):
                while step >= 3 and not os.path.exists(sys.argv[1] + "/go"):
                    time.sleep(0.02)
                state["done"].append(step)
                time.sleep(0.02)
                if os.path.exists(sys.argv[1] + "/enough"):
                    print(len(state["done"]), state["done"] == list(range(len(state["done"]))))
                    break
            """;

    private static final String[] UP = {"--gpus", "virtual:1:H200", "--policy", "fermata:pays=0", "--profile-first"};

    @TempDir
    private Path home;

    @Test
    void theFirstIsProfiledAndThenAllAreOrderedByIt() throws Exception {
        Path script = Files.writeString(home.resolve("train.py"), TRAIN);
        String command = "python3 " + script + " " + home;
        String first;
        String second;
        try (RunningDaemon daemon = RunningDaemon.start(home, UP)) {
            first = daemon.submit("--", command);
            second = daemon.submit("--", command);
            await().atMost(PATIENCE).until(() -> daemon.state(first).equals("RUNNING"));
            assertThat(daemon.run("explain", first).out()).contains("it is being profiled, the first of its kind");
            assertThat(daemon.run("describe", first).out()).contains("is being profiled");
            daemon.process().interrupt();
            assertThat(daemon.process().await()).isIn(130, 143);
        }
        try (RunningDaemon daemon = RunningDaemon.start(home, UP)) {
            assertThat(daemon.run("explain", second).out()).contains("the profile of its kind, which job " + first);
            assertThat(daemon.run("describe", first).out()).contains("is being profiled");
            Files.createFile(home.resolve("go"));
            await().atMost(PATIENCE)
                    .until(() -> daemon.state(second).equals("RUNNING")
                            && daemon.json("describe", first).path("attempt").asInt() == 2
                            && daemon.state(first).equals("RUNNING"));

            JsonNode kinds = daemon.json("profile", "ls");
            assertThat(kinds).hasSize(1);
            assertThat(kinds.path(0).path("promiseMib").asInt()).isEqualTo(21_000);
            assertThat(daemon.json("describe", first).path("preemptions").asInt())
                    .isZero();
            assertThat(kindsOfLines(daemon, first))
                    .containsSubsequence("Submitted", "Started", "Running", "Profiled", "Left", "Started")
                    .containsOnlyOnce("Shown");
            assertThat(kindsOfLines(daemon, second)).doesNotContain("Profiled");

            Files.createFile(home.resolve("enough"));
            for (String job : List.of(first, second)) {
                await().atMost(PATIENCE).until(() -> daemon.state(job).equals("COMPLETED"));
                assertThat(daemon.run("logs", job).out())
                        .as("no step was lost or done twice")
                        .contains("True");
            }
            CommandRun replayed = daemon.run("replay");
            assertThat(replayed.code()).as(replayed.err()).isZero();
        }
    }

    private static List<String> kindsOfLines(RunningDaemon daemon, String job) throws IOException {
        List<String> kinds = new ArrayList<>();
        for (JsonNode line : daemon.json("events", job)) {
            kinds.add(line.path("kind").asText());
        }
        return kinds;
    }
}
