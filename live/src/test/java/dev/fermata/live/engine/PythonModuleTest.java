package dev.fermata.live.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PythonModuleTest {
    private static final Path SOURCES = Path.of("..", "python");

    @TempDir
    Path data;

    @Test
    void jobsImportTheHelperFromTheFolder() throws Exception {
        Path folder = PythonModule.install(data);
        String out = run(
                data,
                folder.toString(),
                List.of("python3", "-c", "import fermata; print(fermata.PAUSED, fermata.__file__)"),
                0);
        assertThat(out.strip()).isEqualTo("75 " + folder.resolve("fermata.py"));
    }

    @Test
    void installedHelperEqualsTheSourceFile() throws IOException {
        assertThat(PythonModule.install(data).resolve("fermata.py"))
                .hasSameBinaryContentAs(SOURCES.resolve("fermata.py"));
    }

    @Test
    void otherVersionIsReplacedAndSameVersionIsKept() throws IOException {
        Path file = PythonModule.install(data).resolve("fermata.py");
        Files.setLastModifiedTime(file, FileTime.fromMillis(0));
        PythonModule.install(data);
        assertThat(Files.getLastModifiedTime(file).toMillis()).isZero();
        Files.writeString(file, "an older one");
        PythonModule.install(data);
        assertThat(file).hasSameBinaryContentAs(SOURCES.resolve("fermata.py"));
        try (var files = Files.list(file.resolveSibling("."))) {
            assertThat(files).hasSize(1);
        }
    }

    /** The helper's own tests: pauses at every step, kills during saves, damaged checkpoints, a full disk. */
    @Test
    void helperPassesItsOwnTests() throws Exception {
        Path tests = SOURCES.resolve("tests").toAbsolutePath().normalize();
        String out = run(tests, "", List.of("python3", "-m", "unittest", "discover", "-s", tests.toString()), 0);
        assertThat(out).containsPattern("Ran [4-9]\\d tests").contains("OK").doesNotContain("skipped");
    }

    private String run(Path folder, String pythonPath, List<String> command, int expect) throws Exception {
        Path out = data.resolve("output.txt");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        builder.environment().put("PYTHONPATH", pythonPath);
        builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
        Process process = builder.start();
        try {
            assertThat(process.waitFor(5, TimeUnit.MINUTES)).as("ended in time").isTrue();
            String text = Files.readString(out, UTF_8);
            assertThat(process.exitValue()).as(text).isEqualTo(expect);
            return text;
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }
}
