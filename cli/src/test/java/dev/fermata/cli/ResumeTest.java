package dev.fermata.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Comparisons as processes that are cut off in the middle. */
class ResumeTest {
    private static final int RUNS = 3 * 20 * 2;
    private static final String[] COMPARE = {
        "compare",
        "--workload",
        "synthetic:jobs=250",
        "--policies",
        "fifo,las,srtf",
        "--seeds",
        "1..20",
        "--vary",
        "load=0.9,1.3"
    };

    @TempDir
    private Path folder;

    @Test
    void aKilledComparisonResumesAndPrintsTheSame() throws Exception {
        String whole = table(COMPARE);

        try (FermataProcess first = FermataProcess.start(folder, COMPARE)) {
            first.until(() -> lines(cached()) > 8);
            first.kill();
        }
        int done = lines(cached()) - 1;
        assertThat(done).isBetween(8, RUNS - 1);
        try (FermataProcess second = FermataProcess.start(folder, with(COMPARE, "--resume"))) {
            second.until(() -> lines(cached()) > Math.min(done + 8, RUNS - 10));
            second.kill(); // a second time, not far from where it began
        }
        try (FermataProcess third = FermataProcess.start(folder, with(COMPARE, "--resume"))) {
            assertThat(third.await()).isZero();
            assertThat(third.out()).isEqualTo(whole);
            assertThat(third.err()).containsPattern("\\d+ of " + RUNS + " runs saved already");
        }
        assertThat(cached()).as("gone when complete").isEmpty();
    }

    @Test
    void ctrlCPrintsFinishedRunsAndTheResumeCommand() throws Exception {
        String whole = table(with(COMPARE, "-o", "csv"));

        String[] command = with(COMPARE, "-o", "csv");
        String wayOn;
        try (FermataProcess first = FermataProcess.start(folder, command)) {
            first.until(() -> lines(cached()) > 8);
            first.interrupt();
            assertThat(first.await()).isIn(130, 143);
            wayOn = first.err();
            int done = lines(cached()) - 1;
            assertThat(first.out().lines().count())
                    .as("a header and a line per run")
                    .isEqualTo(done + 1L);
            assertThat(wayOn)
                    .contains(done + " of " + RUNS + " runs done, " + done + " saved")
                    .contains("fermata " + String.join(" ", command) + " --resume");
        }
        String last = wayOn.lines().reduce("", (a, b) -> b).strip();
        String[] again = last.substring("fermata ".length()).split(" ");
        try (FermataProcess second = FermataProcess.start(folder, again)) {
            assertThat(second.await()).isZero();
            assertThat(withoutWallFigures(second.out())).isEqualTo(withoutWallFigures(whole));
        }
    }

    @Test
    void aNamedFileIsKeptAndALargerComparisonResumesFromIt() throws Exception {
        Path file = folder.resolve("runs.jsonl");
        String[] small = {
            "compare",
            "--workload",
            "synthetic:jobs=50",
            "--policies",
            "fifo",
            "--seeds",
            "1..2",
            "--save",
            file.toString()
        };
        String[] grown = {
            "compare",
            "--workload",
            "synthetic:jobs=50",
            "--policies",
            "srtf,fifo",
            "--seeds",
            "1..3",
            "--save",
            file.toString()
        };
        try (FermataProcess first = FermataProcess.start(folder, small)) {
            assertThat(first.await()).isZero();
        }
        assertThat(lines(List.of(file))).isEqualTo(3);
        try (FermataProcess second = FermataProcess.start(folder, grown)) {
            assertThat(second.await()).isZero();
            assertThat(second.err()).contains("2 of 6 runs saved already");
            assertThat(second.out())
                    .isEqualTo(table(
                            "compare",
                            "--workload",
                            "synthetic:jobs=50",
                            "--policies",
                            "srtf,fifo",
                            "--seeds",
                            "1..3"));
        }
        assertThat(lines(List.of(file))).isEqualTo(7);
    }

    @Test
    void twoAtOnceDoNotDisturbEachOther() throws Exception {
        String whole = table(COMPARE);

        try (FermataProcess first = FermataProcess.start(folder, COMPARE)) {
            first.until(() -> lines(cached()) > 1);
            first.suspend();
            int saved = lines(cached());
            try (FermataProcess second = FermataProcess.start(folder, COMPARE)) {
                assertThat(second.await()).isZero();
                assertThat(second.out()).isEqualTo(whole);
                assertThat(second.err()).contains("another fermata is writing to it");
            }
            assertThat(lines(cached())).as("what the first has saved").isEqualTo(saved);
            first.resume();
            assertThat(first.await()).isZero();
            assertThat(first.out()).isEqualTo(whole);
        }
        assertThat(cached()).isEmpty();
    }

    @Test
    void aNamedFileInUseIsNotTouched() throws Exception {
        String[] command = with(COMPARE, "--save", folder.resolve("runs.jsonl").toString());
        List<Path> file = List.of(folder.resolve("runs.jsonl"));
        try (FermataProcess first = FermataProcess.start(folder, command)) {
            first.until(() -> lines(file) > 1);
            first.suspend();
            try (FermataProcess second = FermataProcess.start(folder, command)) {
                assertThat(second.await()).isEqualTo(1);
                assertThat(second.err()).contains("another fermata is writing to it");
            }
            first.kill();
        }
        try (FermataProcess third = FermataProcess.start(folder, with(command, "--resume"))) {
            assertThat(third.await()).isZero();
        }
        assertThat(lines(file)).isEqualTo(RUNS + 1);
    }

    /** A limit on the size of files is what a full disk looks like to a program. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFullDiskStopsSavingButNotTheRuns(boolean named) throws Exception {
        String[] command = named ? with(COMPARE, "--save", "runs.jsonl") : COMPARE;
        List<String> limited = List.of("bash", "-c", "ulimit -f 24; exec \"$@\"", "bash");

        try (FermataProcess run = FermataProcess.start(folder, limited, command)) {
            assertThat(run.await()).as("what was asked for by name is missing").isEqualTo(named ? 1 : 0);
            assertThat(run.out()).isEqualTo(table(COMPARE));
            assertThat(run.err().lines().filter(line -> line.contains("runs are not saved to")))
                    .as("said once")
                    .hasSize(1);
        }
    }

    @Test
    void anUnwritableCacheStopsSavingButNotTheRuns() throws Exception {
        Files.writeString(FermataProcess.cache(folder), "a file where the folder should be");
        String[] command = {"compare", "--workload", "synthetic:jobs=50", "--policies", "fifo,srtf"};

        try (FermataProcess run = FermataProcess.start(folder, command)) {
            assertThat(run.await()).isZero();
            assertThat(run.err()).containsOnlyOnce("warning: runs are not saved to");
            assertThat(run.out()).isEqualTo(table(command));
        }
    }

    @Test
    void aComparisonOnATraceResumesUnlessTheTraceHasChanged() throws Exception {
        Path trace = folder.resolve("trace.csv");
        writeTrace(trace, 1);
        String[] command = {
            "compare",
            "--cluster",
            "2x8",
            "--workload",
            trace.toString(),
            "--policies",
            "fifo,las,srtf",
            "--seeds",
            "1..30",
            "--estimator",
            "noisy:0.5"
        };
        String whole = table(command);
        try (FermataProcess first = FermataProcess.start(folder, command)) {
            first.until(() -> lines(cached()) > 3);
            first.kill();
        }
        Path file = cached().get(0);
        byte[] saved = Files.readAllBytes(file);
        try (FermataProcess second = FermataProcess.start(folder, with(command, "--resume"))) {
            assertThat(second.await()).isZero();
            assertThat(second.out()).isEqualTo(whole);
        }
        Files.write(file, saved); // as if it were still to be completed
        writeTrace(trace, 2);
        try (FermataProcess third = FermataProcess.start(folder, with(command, "--resume"))) {
            assertThat(third.await()).isEqualTo(2);
            assertThat(third.err()).contains("no run of this comparison is saved");
        }
    }

    private static void writeTrace(Path file, long seed) throws IOException {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder("id,submit_s,gpus,duration_s\n");
        int submit = 0;
        for (int id = 1; id <= 500; id++) {
            submit += random.nextInt(600);
            text.append(id + "," + submit + "," + (1 << random.nextInt(4)) + "," + (1 + random.nextInt(1500)) + "\n");
        }
        Files.writeString(file, text);
    }

    /** The same in this process, never interrupted and nothing saved. */
    private static String table(String... command) {
        CommandRun run = CommandRun.of(command);
        assertThat(run.code()).as(run.err()).isZero();
        return run.out();
    }

    private static String withoutWallFigures(String csv) {
        List<String> lines = csv.lines().toList();
        List<String> header = List.of(lines.get(0).split(",", -1));
        List<String> kept = new ArrayList<>();
        for (String line : lines) {
            List<String> cells =
                    new ArrayList<>(List.of(line.replaceAll("\"[^\"]*\"", "_").split(",", -1)));
            for (String wall : List.of("wallSeconds", "eventsPerSecond", "peakHeapMib")) {
                cells.set(header.indexOf(wall), "");
            }
            kept.add(String.join(",", cells));
        }
        return String.join("\n", kept);
    }

    private List<Path> cached() {
        Path compare = FermataProcess.cache(folder).resolve("fermata").resolve("compare");
        if (!Files.isDirectory(compare)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(compare)) {
            return files.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int lines(List<Path> files) {
        int lines = 0;
        for (Path file : files) {
            try {
                lines += Files.exists(file)
                        ? (int) Files.readString(file)
                                .chars()
                                .filter(c -> c == '\n')
                                .count()
                        : 0;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return lines;
    }

    private static String[] with(String[] command, String... more) {
        return Stream.concat(Stream.of(command), Stream.of(more)).toArray(String[]::new);
    }
}
