package dev.fermata.cli.remote;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.cli.FermataProcess;
import dev.fermata.cli.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script for machines with a GPU, on a virtual one and with the example of the standard library in place of every model. */
class GpuProofTest {
    private static final Path SCRIPT = Path.of("..", "scripts", "gpu-proof").toAbsolutePath();
    private static final int JOBS = 4;

    @TempDir
    Path folder;

    @Test
    void scriptRunsTheSameJobsUnderTwoPoliciesAndRecordsTheResults() throws Exception {
        Path out = folder.resolve("out");
        int code = run(
                "--plain",
                "--gpus",
                "virtual:1:H200",
                "--scale",
                "0.02",
                "--jobs",
                "" + JOBS,
                "--stages",
                "shared,fifo",
                "--out",
                out.toString(),
                "--work",
                folder.resolve("work").toString(),
                "--fermata",
                launcher().toString());
        JsonNode results =
                new ObjectMapper().readTree(out.resolve("results.json").toFile());
        assertThat(results.path("trouble").asText()).isEmpty();
        for (String stage : List.of("shared", "fifo")) {
            JsonNode summary = results.path(stage).path("summary");
            assertThat(summary.path("completed").asInt()).as(stage).isEqualTo(JOBS);
            assertThat(summary.path("oom").asInt()).isZero();
            assertThat(summary.path("meanJctSeconds").asDouble()).isPositive();
            assertThat(results.path(stage).path("jobs")).hasSize(JOBS);
        }
        assertThat(results.path("fifo").path("summary").path("preemptions").asInt())
                .isZero();
        // Jobs that trained with the same seed ended with the same loss, whatever happened in between.
        assertThat(results.path("shared").path("finals"))
                .isEqualTo(results.path("fifo").path("finals"));
        results.path("fifo")
                .path("finals")
                .forEach(line -> assertThat(line.asText()).startsWith("final loss"));
        // A virtual GPU is not shared: nothing is known of these jobs, and the script must say so.
        assertThat(code).isEqualTo(1);
        assertThat(Files.readString(out.resolve("summary.md")))
                .contains("| all jobs completed, one by one | yes | 4 of 4 |")
                .contains("| jobs shared the GPU | **no** |");
        assertThat(folder.resolve("work")).doesNotExist();
    }

    /** The program as it is tested here, in place of the launcher, which would build it. */
    private Path launcher() throws IOException {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        Path file = folder.resolve("fermata");
        Files.writeString(
                file,
                "#!/bin/sh\nexec '%s' -XX:+UseSerialGC -XX:-UsePerfData -XX:TieredStopAtLevel=1 -Xmx256m -cp '%s' %s \"$@\"\n"
                        .formatted(java, classPath, Main.class.getName()));
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    }

    private int run(String... arguments) throws Exception {
        Path text = folder.resolve("said.txt");
        ProcessBuilder builder = new ProcessBuilder("python3", SCRIPT.toString())
                .redirectErrorStream(true)
                .redirectOutput(text.toFile());
        builder.command().addAll(List.of(arguments));
        builder.environment().putAll(FermataProcess.home(folder));
        Process process = builder.start();
        try {
            assertThat(process.waitFor(2, TimeUnit.MINUTES))
                    .as(Files.readString(text, UTF_8))
                    .isTrue();
            assertThat(folder.resolve("out").resolve("results.json"))
                    .as(Files.readString(text, UTF_8))
                    .exists();
            return process.exitValue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }
}
