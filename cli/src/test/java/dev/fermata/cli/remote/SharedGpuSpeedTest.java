package dev.fermata.cli.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Real processes with steps that take longer while another one runs: the daemon reports their speed, remembers it, also when it is
 * killed, and pairs such jobs no more.
 */
class SharedGpuSpeedTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** Two that are slower than this do less together than one after the other. */
    private static final double PAYS = 0.5;

    /** Each step of 20 ms takes 120 ms while there is a file of another in the folder GPU: far below what pays on any machine. */
    private static final String TRAIN = """
            import os, sys, time
            import fermata
            fermata.gpu(memory_mib=20000, busy=0.1)
            gpu = os.environ.get("GPU", sys.path[0] + "/alone")
            os.makedirs(gpu, exist_ok=True)
            mine = os.path.join(gpu, str(os.getpid()))
            try:
                for step in fermata.steps(100000):
                    open(mine, "w").close()
                    time.sleep(0.12 if len(os.listdir(gpu)) > 1 else 0.02)
                    if os.path.exists(os.environ.get("ENOUGH", "")):
                        break
            finally:
                if os.path.exists(mine):
                    os.remove(mine)
            """;

    @TempDir
    private Path home;

    @Test
    void coRunSpeedIsReportedAndLearned() throws Exception {
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
            await().atMost(TIMEOUT)
                    .until(() -> speeds(daemon, first).stream().anyMatch(SharedGpuSpeedTest::doesNotPay)
                            && speeds(daemon, second).stream().anyMatch(SharedGpuSpeedTest::doesNotPay));
            assertEachReportIsNews(speeds(daemon, first));

            Files.createFile(enough);
            for (String done : new String[] {first, second}) {
                await().atMost(TIMEOUT).until(() -> daemon.state(done).equals("COMPLETED"));
            }
            JsonNode others =
                    daemon.json("profile", "show", "slow.py").path("coRuns").path(0);
            assertThat(others.path("neighbour").asText()).contains("slow.py");
            assertThat(others.path("speed").asDouble()).isPositive().isLessThan(1);
            assertThat(daemon.run("profile", "show", "slow.py").out()).contains("of alone");
            daemon.process().kill();
        }
        Files.delete(enough);
        try (RunningDaemon daemon = RunningDaemon.start(home, options)) {
            assertThat(daemon.json("profile", "show", "slow.py").path("coRuns")).hasSize(1);
            String third = daemon.submit(job);
            await().atMost(TIMEOUT).until(() -> daemon.state(third).equals("RUNNING"));
            String fourth = daemon.submit(job);
            await().atMost(TIMEOUT)
                    .until(() -> !daemon.json("explain", fourth)
                            .path("reason")
                            .asText()
                            .isEmpty());
            Files.createFile(enough);
            await().atMost(TIMEOUT).until(() -> daemon.state(fourth).equals("COMPLETED"));
            await().atMost(TIMEOUT).until(() -> daemon.state(third).equals("COMPLETED"));
            assertThat(maxAtOnce(daemon, third, fourth))
                    .as("what does not pay is not paired again: one waits, or makes room")
                    .isEqualTo(1);
        }
    }

    /** Speeds that hardly differ from the one reported last are not reported. */
    private static void assertEachReportIsNews(List<Double> reported) {
        for (int i = 1; i < reported.size(); i++) {
            assertThat(reported.get(i))
                    .as("report %d of %s", i, reported)
                    .isNotCloseTo(reported.get(i - 1), withinPercentage(5));
        }
    }

    private static boolean doesNotPay(double speed) {
        return speed < PAYS;
    }

    /** How many of these jobs were on GPUs at the same time, by the history. */
    private static int maxAtOnce(RunningDaemon daemon, String... jobs) throws IOException {
        TreeMap<Long, Integer> changes = new TreeMap<>();
        for (String job : jobs) {
            for (JsonNode line : daemon.json("events", job)) {
                switch (line.path("type").asText()) {
                    case "Started" -> changes.put(line.path("seq").asLong(), 1);
                    case "AttemptEnded" -> changes.put(line.path("seq").asLong(), -1);
                    default -> {}
                }
            }
        }
        int now = 0;
        int max = 0;
        for (int change : changes.values()) {
            now += change;
            max = Math.max(max, now);
        }
        return max;
    }

    /** The reported speeds of a job, relative to the speed when it began to run. */
    private static List<Double> speeds(RunningDaemon daemon, String job) throws IOException {
        double alone = 0;
        List<Double> reported = new ArrayList<>();
        for (JsonNode line : daemon.json("events", job)) {
            double speed = line.path("body").path("speedMicro").asDouble();
            if (line.path("type").asText().equals("Running")) {
                alone = speed;
            } else if (line.path("type").asText().equals("SpeedChanged")) {
                reported.add(speed / alone);
            }
        }
        return reported;
    }
}
