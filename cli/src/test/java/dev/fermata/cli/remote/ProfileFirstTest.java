package dev.fermata.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.cli.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real processes without a profile: one is profiled, across a restart of the daemon, and then they share the GPU. */
class ProfileFirstTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** Stops at step 3 until it may continue, and ends on request. */
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
    void firstJobIsProfiledAndOthersAreOrderedByItsProfile() throws Exception {
        Path script = Files.writeString(home.resolve("train.py"), TRAIN);
        String command = "python3 " + script + " " + home;
        String first;
        String second;
        try (RunningDaemon daemon = RunningDaemon.start(home, UP)) {
            first = daemon.submit("--", command);
            second = daemon.submit("--", command);
            await().atMost(TIMEOUT).until(() -> daemon.state(first).equals("RUNNING"));
            assertThat(daemon.run("explain", first).out())
                    .contains("this is a profiling run, the first of its program");
            assertThat(daemon.run("describe", first).out()).contains("is being profiled");
            daemon.process().interrupt();
            assertThat(daemon.process().await()).isIn(130, 143);
        }
        try (RunningDaemon daemon = RunningDaemon.start(home, UP)) {
            assertThat(daemon.run("explain", second).out()).contains("the profiling run of job " + first);
            assertThat(daemon.run("describe", first).out()).contains("is being profiled");
            Files.createFile(home.resolve("go"));
            await().atMost(TIMEOUT)
                    .until(() -> daemon.state(second).equals("RUNNING")
                            && daemon.json("describe", first).path("attempt").asInt() == 2
                            && daemon.state(first).equals("RUNNING"));

            JsonNode profiles = daemon.json("profile", "ls");
            assertThat(profiles).hasSize(1);
            assertThat(profiles.path(0).path("memoryReservationMib").asInt()).isEqualTo(21_000);
            assertThat(daemon.json("describe", first).path("preemptions").asInt())
                    .isZero();
            assertThat(eventTypes(daemon, first))
                    .containsSubsequence("Submitted", "Started", "Running", "Profiled", "AttemptEnded", "Started")
                    .containsOnlyOnce("AttemptMeasured");
            assertThat(eventTypes(daemon, second)).doesNotContain("Profiled");

            Files.createFile(home.resolve("enough"));
            for (String job : List.of(first, second)) {
                await().atMost(TIMEOUT).until(() -> daemon.state(job).equals("COMPLETED"));
                assertThat(daemon.run("logs", job).out())
                        .as("no step was lost or done twice")
                        .contains("True");
            }
            CommandRun replayed = daemon.run("replay");
            assertThat(replayed.code()).as(replayed.err()).isZero();
        }
    }

    private static List<String> eventTypes(RunningDaemon daemon, String job) throws IOException {
        List<String> profiles = new ArrayList<>();
        for (JsonNode line : daemon.json("events", job)) {
            profiles.add(line.path("type").asText());
        }
        return profiles;
    }
}
