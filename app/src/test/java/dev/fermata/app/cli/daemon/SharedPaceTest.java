package dev.fermata.app.cli.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real processes whose steps take longer while another makes some: the daemon tells how fast they are, remembers it, also when it is
 * killed, and pairs such jobs no more.
 */
class SharedPaceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Each step of 40 ms takes 100 ms while there is a file of another in the folder GPU. */
    private static final String TRAIN = """
            import os, sys, time
            import fermata
            fermata.gpu(memory_mib=20000, busy=0.1)
            gpu = os.environ.get("GPU", sys.path[0] + "/nobody")
            os.makedirs(gpu, exist_ok=True)
            mine = os.path.join(gpu, str(os.getpid()))
            try:
                for step in fermata.steps(100000):
                    open(mine, "w").close()
                    time.sleep(0.1 if len(os.listdir(gpu)) > 1 else 0.04)
                    if os.path.exists(os.environ.get("ENOUGH", "")):
                        break
            finally:
                if os.path.exists(mine):
                    os.remove(mine)
            """;

    @TempDir
    private Path home;

    @Test
    void whatAPairShowsIsToldAndLearned() throws Exception {
        Path script = home.resolve("slow.py");
        Files.writeString(script, TRAIN);
        Path gpu = Files.createDirectory(home.resolve("gpu"));
        Path enough = home.resolve("enough");
        String[] job = {
            "--env", "GPU=" + gpu, "--env", "ENOUGH=" + enough, "--", "python3 " + script,
        };
        String[] options = {"--gpus", "virtual:1:H200", "--policy", "fermata:pays=0"};
        String first;
        String second;
        try (RunningDaemon daemon = RunningDaemon.start(home, options)) {
            assertThat(daemon.run("profile", "run", "--steps", "20", "--", "python3 " + script)
                            .code())
                    .isZero();
            first = daemon.submit(job);
            second = daemon.submit(job);
            await().atMost(PATIENCE)
                    .until(() -> paces(daemon, first).stream().anyMatch(SharedPaceTest::lessThanHalf)
                            && paces(daemon, second).stream().anyMatch(SharedPaceTest::lessThanHalf));
            assertThat(paces(daemon, first)).as("told seldom").hasSizeLessThanOrEqualTo(4);

            Files.createFile(enough);
            for (String done : new String[] {first, second}) {
                await().atMost(PATIENCE).until(() -> daemon.state(done).equals("COMPLETED"));
            }
            JsonNode beside =
                    daemon.json("profile", "show", "slow.py").path("beside").path(0);
            assertThat(beside.path("neighbour").asText()).contains("slow.py");
            assertThat(beside.path("speed").asDouble()).isBetween(0.3, 0.55);
            assertThat(daemon.run("profile", "show", "slow.py").out()).contains("of alone");
            daemon.process().kill();
        }
        Files.delete(enough);
        try (RunningDaemon daemon = RunningDaemon.start(home, options)) {
            assertThat(daemon.json("profile", "show", "slow.py").path("beside")).hasSize(1);
            String third = daemon.submit(job);
            await().atMost(PATIENCE).until(() -> daemon.state(third).equals("RUNNING"));
            String fourth = daemon.submit(job);
            assertThat(daemon.state(fourth))
                    .as("what does not pay is not paired again")
                    .isEqualTo("PENDING");
            Files.createFile(enough);
            await().atMost(PATIENCE).until(() -> daemon.state(fourth).equals("COMPLETED"));
        }
    }

    private static boolean lessThanHalf(double speed) {
        return speed < 0.55;
    }

    /** What was told of a job's pace, relative to what was told when it began to run. */
    private static List<Double> paces(RunningDaemon daemon, String job) throws IOException {
        double alone = 0;
        List<Double> told = new ArrayList<>();
        for (JsonNode line : daemon.json("events", job)) {
            double pace = line.path("body").path("paceMicro").asDouble();
            if (line.path("kind").asText().equals("Running")) {
                alone = pace;
            } else if (line.path("kind").asText().equals("Paced")) {
                told.add(pace / alone);
            }
        }
        return told;
    }
}
