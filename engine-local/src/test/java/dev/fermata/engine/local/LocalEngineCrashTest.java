package dev.fermata.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The daemon is killed repeatedly at random moments; no attempt runs twice, and every exit code is reported. */
class LocalEngineCrashTest {
    private static final int JOBS = 120;
    private static final int KILLS = 50;

    @TempDir
    Path data;

    @Test
    void everyAttemptRunsAtMostOnceAndItsExitIsReported() throws Exception {
        Path ran = data.resolve("ran");
        Random random = new Random(1);
        int kills = 0;
        Process daemon = daemon(ran);
        try {
            while (!Files.exists(data.resolve("finished"))) {
                // While there is work it is killed soon after its start, else it may finish its work.
                boolean more = kills < KILLS;
                long life = more ? 200 + random.nextInt(400) : 20;
                if (!daemon.waitFor(life, TimeUnit.MILLISECONDS)) {
                    if (!more) {
                        continue;
                    }
                    daemon.destroyForcibly().waitFor();
                }
                kills++;
                daemon = daemon(ran);
            }
        } finally {
            daemon.destroyForcibly().waitFor();
        }
        check(ran);
        try (LocalEngineFixture fixture = new LocalEngineFixture(data)) {
            assertThat(fixture.aliveProcesses()).isEmpty();
        }
    }

    private void check(Path ran) throws Exception {
        List<String> expectedAttempts = CrashingEngineProcess.lines(data.resolve("expected"));
        Map<String, List<String>> ends = CrashingEngineProcess.lines(data.resolve("left")).stream()
                .collect(Collectors.groupingBy(line -> line.split(" ")[0]));
        List<String> starts = CrashingEngineProcess.lines(ran);
        assertThat(starts).as("no attempt ran twice").doesNotHaveDuplicates();
        assertThat(expectedAttempts).hasSize(JOBS);
        for (String name : expectedAttempts) {
            List<String> reported = ends.getOrDefault(name, List.of());
            assertThat(reported).as("ends of %s", name).hasSize(1);
            String code = Integer.toString(Integer.parseInt(name.split("\\.")[0]) % 3);
            String expected = starts.contains(name)
                    ? name + (code.equals("0") ? " COMPLETED " : " FAILED ") + code
                    : name + " LOST null";
            assertThat(reported.get(0)).isEqualTo(expected);
        }
    }

    private Process daemon(Path ran) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                CrashingEngineProcess.class.getName(),
                data.toString(),
                ran.toString(),
                Integer.toString(JOBS)));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        data.resolve("daemon.log").toFile()))
                .start();
    }
}
