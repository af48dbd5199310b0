package dev.fermata.engine.slurm;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nothing of the Slurm that tests start outlives them. */
class TestSlurmTest {
    @Test
    void theEndOfItsInputEndsDaemonsAndJobs() throws IOException {
        Path folder = Files.createTempDirectory("slurm").toRealPath();
        TestSlurm slurm = TestSlurm.start(folder, 2, 300);
        String job = slurm.execute("sbatch", "--parsable", "--output=/dev/null", "--wrap", "trap '' TERM; sleep 300");
        SlurmBench.awaitUntil(
                () -> slurm.execute("squeue", "--noheader", "--format=%T").equals("RUNNING"));
        assertThat(job).isEqualTo("1");
        assertThat(members(slurm.conf())).hasSizeGreaterThan(4);
        slurm.close(); // closes the pipe, as the kernel does when this process is killed
        assertThat(members(slurm.conf())).isEmpty();
        assertThat(folder).doesNotExist();
    }

    private static List<String> members(Path conf) throws IOException {
        List<String> found = new ArrayList<>();
        try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                try {
                    String environment = new String(Files.readAllBytes(process.resolve("environ")), ISO_8859_1);
                    if (environment.contains("SLURM_CONF=" + conf)) {
                        found.add(process.toString());
                    }
                } catch (IOException e) {
                    // it has ended, or is another account's
                }
            }
        }
        return found;
    }
}
