package dev.fermata.engine.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.attempt.AttemptVariables;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The shim alone, under every shell of this machine. */
class ShimTest {
    @TempDir
    Path folder;

    @BeforeEach
    void createFolder() throws IOException {
        for (String name : List.of("shim.sh", "step.sh")) {
            try (InputStream in = Objects.requireNonNull(LocalEngine.class.getResourceAsStream(name))) {
                Files.copy(in, folder.resolve(name));
            }
        }
        Files.writeString(folder.resolve("exit"), " ".repeat(15) + "\n");
        Files.writeString(folder.resolve("cgroups"), "");
    }

    /** The log writers outlive the shim by a moment; once they are gone, nothing writes into the folder. */
    @AfterEach
    void awaitAllExited() {
        LocalEngineFixture.awaitUntil(() -> ProcessHandle.allProcesses().noneMatch(this::isInFolder));
    }

    private boolean isInFolder(ProcessHandle process) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/" + process.pid() + "/cwd"))
                    .equals(folder.toRealPath());
        } catch (IOException e) {
            return false; // gone meanwhile
        }
    }

    static Stream<String> shells() {
        return Stream.of("sh", "dash", "bash --posix", "busybox sh", "ksh", "mksh", "zsh --emulate sh")
                .filter(shell -> Stream.of("/bin/", "/usr/bin/")
                        .anyMatch(dir -> Files.isExecutable(Path.of(dir + shell.split(" ")[0]))));
    }

    private Process startShim(String shell, String command, int ranks) throws IOException {
        Files.writeString(
                folder.resolve("env"),
                "export FERMATA_CHECKPOINT_DIR=" + AttemptVariables.quote(folder.toString()) + "\nfermata_workdir="
                        + AttemptVariables.quote(folder.toString()) + "\nfermata_ranks=" + ranks
                        + "\nfermata_batch=0\nfermata_script=''\nfermata_command="
                        + AttemptVariables.quote(command) + "\n");
        List<String> line = new ArrayList<>(List.of("setsid"));
        line.addAll(List.of(shell.split(" ")));
        line.addAll(List.of(
                folder.resolve("shim.sh").toString(),
                folder.toString(),
                folder.resolve("step.sh").toString(),
                Integer.toString(ranks),
                "-",
                "0",
                "0",
                "65536",
                "1",
                "2"));
        return new ProcessBuilder(line)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private String file(String name) throws IOException {
        return Files.exists(folder.resolve(name)) ? Files.readString(folder.resolve(name)) : "";
    }

    private int awaitExitCode(Process shim) throws Exception {
        assertThat(new String(shim.getInputStream().readAllBytes(), UTF_8)).isEqualTo("running\n");
        assertThat(shim.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return shim.exitValue();
    }

    @ParameterizedTest
    @MethodSource("shells")
    void shimRunsTheCommandAndRecordsItsExitCode(String shell) throws Exception {
        int code = awaitExitCode(startShim(shell, "echo out; echo err >&2; exit 6", 1));

        assertThat(code).isEqualTo(6);
        assertThat(file("exit")).hasSize(16).startsWith("6 ");
        assertThat(file("pid")).matches("[0-9]+ [0-9]+\n");
        // a command that ended before its start time was read has none, and nothing is left to signal
        assertThat(file("job")).matches("0 [0-9]+ [0-9]*\n");
        assertThat(folder.resolve("claim")).isDirectory();
        LocalEngineFixture.awaitUntil(
                () -> file("stdout.0").equals("out\n") && file("stderr.0").equals("err\n"));
    }

    @ParameterizedTest
    @MethodSource("shells")
    void controlGroupThatCannotBeJoinedEndsTheStart(String shell) throws Exception {
        Files.writeString(folder.resolve("cgroups"), folder.resolve("no-such-group") + "\n");

        Process shim = startShim(shell, "echo ran >ran", 1);

        assertThat(shim.getInputStream().readAllBytes()).isEmpty();
        assertThat(shim.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(shim.exitValue()).isEqualTo(125);
        assertThat(folder.resolve("ran")).doesNotExist();
    }

    @ParameterizedTest
    @MethodSource("shells")
    void shimWaitsForAllRanks(String shell) throws Exception {
        int code = awaitExitCode(startShim(shell, "sleep 0.$RANK; echo $RANK", 3));

        assertThat(code).isZero();
        for (String rank : List.of("0", "1", "2")) {
            LocalEngineFixture.awaitUntil(() -> file("stdout-" + rank + ".0").equals(rank + "\n"));
        }
    }

    @ParameterizedTest
    @MethodSource("shells")
    void shimDropsTheMiddleOfLongOutput(String shell) throws Exception {
        awaitExitCode(startShim(shell, "i=0; while [ $i -lt 20000 ]; do echo line-number-$i; i=$((i+1)); done", 1));

        LocalEngineFixture.awaitUntil(
                () -> names().stream().anyMatch(name -> read(name).endsWith("line-number-19999\n")));
        List<String> names = names();
        assertThat(names).hasSizeLessThanOrEqualTo(4).contains("stdout.0");
        assertThat(file("stdout.0")).startsWith("line-number-0\nline-number-1\n");
        long end = names.stream()
                .mapToLong(
                        name -> Long.parseLong(name.substring(7)) + read(name).length())
                .max()
                .orElse(0);
        assertThat(end).isEqualTo(20_000L * "line-number-".length() + 108_890);
    }

    @ParameterizedTest
    @MethodSource("shells")
    void fullDiskLosesOutputButNotTheJob(String shell) throws Exception {
        Files.createSymbolicLink(folder.resolve("stdout.0"), Path.of("/dev/full"));

        int code = awaitExitCode(
                startShim(shell, "i=0; while [ $i -lt 20000 ]; do echo line-number-$i; i=$((i+1)); done; exit 3", 1));

        assertThat(code).isEqualTo(3);
        assertThat(file("exit")).startsWith("3 ");
        LocalEngineFixture.awaitUntil(
                () -> names().stream().anyMatch(name -> read(name).endsWith("line-number-19999\n")));
    }

    /** The files of standard output that are no links. */
    private List<String> names() throws IOException {
        List<String> names = new ArrayList<>();
        try (var files = Files.newDirectoryStream(folder, "stdout.*")) {
            for (Path file : files) {
                if (!Files.isSymbolicLink(file)) {
                    names.add(file.getFileName().toString());
                }
            }
        }
        return names;
    }

    private String read(String name) {
        try {
            return file(name);
        } catch (IOException e) {
            return ""; // dropped meanwhile
        }
    }
}
