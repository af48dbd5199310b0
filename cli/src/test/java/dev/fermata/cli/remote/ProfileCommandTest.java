package dev.fermata.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.cli.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A job is profiled, its profile corrected, exported and imported; jobs with a profile share a GPU, others do not. */
class ProfileCommandTest {
    private static final String TRAIN = """
            import os, sys, time
            import fermata
            fermata.gpu(memory_mib=int(sys.argv[1]), busy=0.3)
            for step in fermata.steps(100000):
                time.sleep(0.02)
                if os.path.exists(os.environ.get("ENOUGH", "")):
                    break
            """;

    @TempDir
    private Path home;

    @Test
    void profiledJobsShareAGpu() throws Exception {
        Path script = home.resolve("train.py");
        Files.writeString(script, TRAIN);
        String command = "python3 " + script + " 20000";
        Path enough = home.resolve("enough");
        try (RunningDaemon daemon = RunningDaemon.start(home, "--gpus", "virtual:1:H200", "--policy", "fermata")) {
            CommandRun profiled = daemon.run("profile", "run", "--steps", "5", "--", command);
            assertThat(profiled.code()).as(profiled.err()).isZero();
            assertThat(profiled.out()).contains("train.py", "20000");

            JsonNode profile = daemon.json("profile", "ls").path(0);
            String id = profile.path("id").asText();
            int memoryReservation = profile.path("memoryReservationMib").asInt();
            assertThat(memoryReservation).isBetween(20_001, 22_000);
            Path file = home.resolve("profiles.yaml");
            assertThat(daemon.run("profile", "export", file.toString()).code()).isZero();
            assertThat(daemon.run("profile", "import", file.toString()).code()).isZero();
            assertThat(daemon.json("profile", "ls")
                            .path(0)
                            .path("memoryReservationMib")
                            .asInt())
                    .as("as much as before")
                    .isEqualTo(memoryReservation);

            assertThat(daemon.run("profile", "set", id, "peakMemoryMib=30000").code())
                    .isZero();
            assertThat(daemon.run("profile", "show", id.substring(0, 6)).out()).contains("30000");
            assertThat(daemon.run("profile", "set", id, "busyPermille=2000").err())
                    .contains("busyPermille", "from 0 to 1000");
            assertThat(daemon.run("profile", "export", file.toString()).code()).isZero();
            assertThat(daemon.run("profile", "forget", id).code()).isZero();
            assertThat(daemon.json("profile", "ls")).isEmpty();
            assertThat(daemon.run("profile", "import", file.toString()).code()).isZero();
            assertThat(daemon.json("profile", "ls")
                            .path(0)
                            .path("memoryReservationMib")
                            .asInt())
                    .isGreaterThanOrEqualTo(30_000);
            assertThat(daemon.run("profile", "set", id, "peakMemory=3").code()).isEqualTo(2);

            String env = "ENOUGH=" + enough;
            String first = daemon.submit("--env", env, "--", command);
            String second = daemon.submit("--env", env, "--", command);
            String other = daemon.submit("--env", env, "--", "python3 " + script + " 100 # unknown");
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> state(daemon, first).equals("RUNNING")
                            && state(daemon, second).equals("RUNNING"));
            assertThat(state(daemon, other)).isEqualTo("PENDING");

            daemon.file("enough", "");
            for (String job : new String[] {first, second, other}) {
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> state(daemon, job).equals("COMPLETED"));
            }
        }
    }

    private static String state(RunningDaemon daemon, String job) throws IOException {
        return daemon.json("describe", job).path("state").asText();
    }
}
