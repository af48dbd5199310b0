package dev.fermata.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo as a user starts it: a daemon, real trainings, real pauses. */
class DemoCommandTest {
    @TempDir
    Path folder;

    @Test
    void trialsStartAtOnceAndPausedJobsEndWithTheSameLoss() throws Exception {
        Path data = folder.resolve("kept");
        String out;
        try (FermataProcess demo = demo("--gpus", "2", "--seconds", "6", "--seed", "3", "--data", data.toString())) {
            int code = demo.await();
            out = demo.out();
            assertThat(code).as(out + demo.err()).isZero();
        }
        // A job was paused so that a trial could start, continued where it was, and ended with the same loss.
        List<MatchResult> pauses = all(
                "trial-\\d+ starts on GPU \\d, [\\d.]+s after it arrived; for it (batch-\\d+) was paused after saving at step (\\d+)",
                out);
        assertThat(pauses).as(out).isNotEmpty();
        for (MatchResult pause : pauses) {
            // The steps shown are the latest reported ones. That none is lost or repeated, the final loss shows.
            int saved = Integer.parseInt(pause.group(2));
            assertThat(all(pause.group(1) + " goes on at step (\\d+) on GPU ", out))
                    .anyMatch(resumed -> Integer.parseInt(resumed.group(1)) >= saved);
            assertThat(out)
                    .containsPattern(
                            pause.group(1) + " is done after \\d+ pauses?, final loss 0\\.\\d+: same as unpaused");
        }
        assertThat(out)
                .containsPattern(
                        "check   \\d+ paused jobs? .* with the same final loss as unpaused, to the last digit");
        // Every trial ended.
        MatchResult trials = all("trials  (\\d+) of (\\d+) done; they waited ([\\d.]+)s in the median", out)
                .get(0);
        assertThat(trials.group(1)).isEqualTo(trials.group(2)).isNotEqualTo("0");
        MatchResult batches = all("batch   (\\d+) of (\\d+) done", out).get(0);
        assertThat(batches.group(1)).isEqualTo(batches.group(2));
        assertThat(out).contains("The daemon's folder is kept: " + data);
        assertThat(data.resolve("fermata.db")).exists();
        assertThat(processesOf(folder)).isEmpty();
    }

    @Test
    void anInterruptedDemoLeavesNothingBehind() throws Exception {
        try (FermataProcess demo = demo("--gpus", "2")) {
            demo.until(() -> lines(demo, " starts on GPU ") >= 2);
            demo.interrupt();
            assertThat(demo.await()).isGreaterThan(128);
            assertThat(demo.out()).contains("that had not finished");
        }
        assertThat(processesOf(folder)).isEmpty();
        try (Stream<Path> left = Files.list(folder.resolve("tmp"))) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void missingPythonIsReported() throws Exception {
        try (FermataProcess demo = FermataProcess.start(folder, List.of("env", "PATH=/nowhere"), "demo")) {
            assertThat(demo.await()).isEqualTo(1);
            assertThat(demo.err()).contains("the demo needs python3").doesNotContain("Exception");
        }
    }

    private FermataProcess demo(String... options) throws IOException {
        Path temporary = Files.createDirectories(folder.resolve("tmp"));
        Path home = Files.createDirectories(folder.resolve("home"));
        return FermataProcess.start(
                folder,
                List.of(
                        "env",
                        "TMPDIR=" + temporary,
                        "HOME=" + home,
                        "XDG_CONFIG_HOME=" + home,
                        "XDG_DATA_HOME=" + home),
                Stream.concat(Stream.of("demo"), Stream.of(options)).toArray(String[]::new));
    }

    private static long lines(FermataProcess demo, String with) {
        try {
            return demo.out().lines().filter(line -> line.contains(with)).count();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static List<MatchResult> all(String pattern, String text) {
        return Pattern.compile(pattern).matcher(text).results().toList();
    }

    /** Command lines of processes that have to do with this folder; Linux only, as the demo's jobs are. */
    private static List<String> processesOf(Path folder) throws IOException {
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            return processes
                    .map(process -> commandLine(process.resolve("cmdline")))
                    .filter(line -> line.contains(folder.toString()))
                    .toList();
        }
    }

    private static String commandLine(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1).replace('\0', ' ');
        } catch (NoSuchFileException e) {
            return "";
        } catch (IOException e) {
            return ""; // it ended while it was looked at
        }
    }
}
