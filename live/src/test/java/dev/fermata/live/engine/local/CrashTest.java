package dev.fermata.live.engine.local;

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

/** The daemon is killed again and again, at moments nobody chose; no attempt runs twice, and every exit code is learned. */
class CrashTest {
    private static final int JOBS = 120;
    private static final int KILLS = 50;

    @TempDir
    Path data;

    @Test
    void everyAttemptRunsAtMostOnceAndItsExitIsLearned() throws Exception {
        Path ran = data.resolve("ran");
        Random random = new Random(1);
        int kills = 0;
        Process daemon = daemon(ran);
        try {
            while (!Files.exists(data.resolve("finished"))) {
                // While there is something to interrupt it is killed soon after it came up, else it may finish its
                // work.
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
        try (Stage stage = new Stage(data)) {
            assertThat(stage.alive()).isEmpty();
        }
    }

    private void check(Path ran) throws Exception {
        List<String> believed = CrashingDaemon.lines(data.resolve("believed"));
        Map<String, List<String>> ends = CrashingDaemon.lines(data.resolve("left")).stream()
                .collect(Collectors.groupingBy(line -> line.split(" ")[0]));
        List<String> starts = CrashingDaemon.lines(ran);
        assertThat(starts).as("no attempt ran twice").doesNotHaveDuplicates();
        assertThat(believed).hasSize(JOBS);
        for (String name : believed) {
            List<String> told = ends.getOrDefault(name, List.of());
            assertThat(told).as("ends of %s", name).hasSize(1);
            String code = Integer.toString(Integer.parseInt(name.split("\\.")[0]) % 3);
            String expected = starts.contains(name)
                    ? name + (code.equals("0") ? " COMPLETED " : " FAILED ") + code
                    : name + " LOST null";
            assertThat(told.get(0)).isEqualTo(expected);
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
                CrashingDaemon.class.getName(),
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
