package dev.fermata.insight.saved;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.experiment.ExperimentMatrix;
import dev.fermata.insight.experiment.MatrixCell;
import dev.fermata.insight.experiment.MatrixCells;
import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.insight.experiment.RunProgress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SavedRunsTest {
    private static final List<String> POLICIES = List.of("fifo", "srtf");
    private static final List<Long> SEEDS = List.of(1L, 2L);
    private static final String WORKLOAD = "synthetic:jobs=30,load=1.5";

    @TempDir
    private Path folder;

    @Test
    void storedRunsAreReadBackExactly() {
        Path file = folder.resolve("runs");
        List<MeasuredRun> made = make(file, MatrixCells.matrix(WORKLOAD, POLICIES, SEEDS));

        List<MatrixCell> again = MatrixCells.of(WORKLOAD, POLICIES, SEEDS);
        try (SavedRuns saved = SavedRuns.open(file, again, new RunIdentity())) {
            assertThat(saved.count()).isEqualTo(4);
            for (MatrixCell cell : again) {
                MeasuredRun found = saved.find(cell).orElseThrow();
                MeasuredRun run = made.get(cell.index());
                assertThat(found.result()).isEqualTo(run.result());
                assertThat(found.jobs()).isEqualTo(run.jobs());
                assertThat(found.infeasible()).isEqualTo(run.infeasible());
            }
        }
    }

    @Test
    void completeLinesCountWhereverWritingWasCutOff() throws IOException {
        Path whole = folder.resolve("whole");
        make(whole, MatrixCells.matrix(WORKLOAD, POLICIES, SEEDS));
        byte[] bytes = Files.readAllBytes(whole);
        List<MatrixCell> cells = MatrixCells.of(WORKLOAD, POLICIES, SEEDS);
        RunIdentity identity = new RunIdentity();
        Path cut = folder.resolve("cut");

        for (int length = 0; length <= bytes.length; length += length < 40 ? 1 : 97) {
            byte[] part = Arrays.copyOf(bytes, length);
            Files.write(cut, part);
            long lines = new String(part, UTF_8).chars().filter(c -> c == '\n').count();
            try (SavedRuns saved = SavedRuns.open(cut, cells, identity)) {
                assertThat((long) saved.count()).as("of %d bytes", length).isEqualTo(Math.max(0, lines - 1));
                assertThat(saved.problem()).isEmpty();
            }
            assertThat(Files.readString(cut))
                    .as("cut at %d", length)
                    .startsWith(SavedRunFile.HEADER)
                    .endsWith("\n");
        }
    }

    @Test
    void writingContinuesAfterATornLine() throws IOException {
        Path file = folder.resolve("runs");
        make(file, MatrixCells.matrix(WORKLOAD, POLICIES, SEEDS));
        String text = Files.readString(file);
        Files.writeString(file, text.substring(0, text.length() - 20));

        List<MeasuredRun> made = make(file, MatrixCells.matrix(WORKLOAD, POLICIES, SEEDS));

        assertThat(made).hasSize(4);
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(5);
        assertThat(new HashSet<>(lines)).as("none twice").hasSize(5);
    }

    @Test
    void aGrownComparisonRunsOnlyWhatIsNew() throws IOException {
        Path file = folder.resolve("runs");
        make(file, MatrixCells.matrix(WORKLOAD, List.of("srtf"), List.of(2L)));
        String before = Files.readString(file);

        make(file, MatrixCells.matrix(WORKLOAD, POLICIES, SEEDS));

        assertThat(Files.readString(file)).startsWith(before);
        assertThat(Files.readAllLines(file)).hasSize(5);
    }

    @Test
    void anythingThatChangesResultsChangesTheKey() throws IOException {
        Path trace = folder.resolve("trace.csv");
        Files.writeString(trace, "id,submit_s,gpus,duration_s\n1,0,4,100\n");
        Set<String> keys = new HashSet<>();
        List<MatrixCell> cells = new ArrayList<>(MatrixCells.of(WORKLOAD, POLICIES, SEEDS));
        cells.addAll(MatrixCells.of("synthetic:jobs=31,load=1.5", POLICIES, SEEDS));
        cells.addAll(MatrixCells.of(trace.toString(), POLICIES, SEEDS));
        cells.forEach(cell -> keys.add(new RunIdentity().key(cell)));
        assertThat(keys).hasSize(12);

        Files.writeString(trace, "id,submit_s,gpus,duration_s\n1,0,4,101\n");
        MatrixCells.of(trace.toString(), POLICIES, SEEDS).forEach(cell -> keys.add(new RunIdentity().key(cell)));
        assertThat(keys).as("the file has another content").hasSize(16);
    }

    @Test
    void anUnknownFileIsRefusedAndLeftUntouched() throws IOException {
        Path file = folder.resolve("precious.csv");
        for (String content : List.of("id,submit_s\n1,2\n", "x", "{\"fermata\":\"runs\",\"format\":3}\n")) {
            Files.writeString(file, content);

            assertThatThrownBy(() -> make(file, MatrixCells.matrix(WORKLOAD, POLICIES, SEEDS)))
                    .isInstanceOf(UserError.class)
                    .hasMessageContaining("is not a file of saved runs");
            assertThat(Files.readString(file)).isEqualTo(content);
        }
    }

    @Test
    void aBrokenLineInTheMiddleIsNamed() throws IOException {
        Path file = folder.resolve("runs");
        make(file, MatrixCells.matrix(WORKLOAD, List.of("fifo"), List.of(1L)));
        Files.writeString(file, Files.readString(file) + "{\"key\":\n{}\n");

        assertThatThrownBy(() -> make(file, MatrixCells.matrix(WORKLOAD, POLICIES, SEEDS)))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("runs:3: not a saved run");
    }

    @Test
    void resumeNamesTheDifference() {
        Path file = folder.resolve("runs");
        make(file, MatrixCells.matrix(WORKLOAD, POLICIES, SEEDS));
        SaveLocation resume = new SaveLocation(file, true, Map.of());

        assertThatThrownBy(() -> resume.open(MatrixCells.of("synthetic:jobs=31", POLICIES, SEEDS)))
                .hasMessageContaining("holds runs of other comparisons only")
                .hasMessageContaining("workload there is 'synthetic:jobs=30,load=1.5'");
        assertThatThrownBy(() -> resume.open(MatrixCells.of(WORKLOAD, List.of("las"), SEEDS)))
                .hasMessageContaining("policies or seeds differ");
        try (SavedRuns mine = resume.open(MatrixCells.of(WORKLOAD, List.of("las", "srtf"), SEEDS))
                .orElseThrow()) {
            assertThat(mine.count()).isEqualTo(2);
        }
    }

    @Test
    void writeFailuresAreReportedOnceAndTheRunContinues() throws IOException {
        Path file = folder.resolve("no").resolve("such").resolve("folder");
        List<MatrixCell> cells = MatrixCells.of(WORKLOAD, POLICIES, SEEDS);

        try (SavedRuns saved = SavedRuns.open(file, cells, new RunIdentity())) {
            assertThat(saved.problem()).contains("not saved");
            assertThat(saved.find(cells.get(0))).isEqualTo(Optional.empty());
        }
        assertThat(make(file, MatrixCells.matrix(WORKLOAD, POLICIES, SEEDS))).hasSize(4);
    }

    @Test
    void aBrokenCacheIsRestarted() throws IOException {
        SaveLocation location = new SaveLocation(null, false, Map.of("XDG_CACHE_HOME", folder.toString()));
        List<MatrixCell> cells = MatrixCells.of(WORKLOAD, POLICIES, SEEDS);
        location.open(cells).orElseThrow().close();
        Path compare = folder.resolve("fermata").resolve("compare");
        Path file;
        try (var files = Files.list(compare)) {
            file = files.findFirst().orElseThrow();
        }
        Files.writeString(file, "not at all\n");

        try (SavedRuns saved = location.open(cells).orElseThrow()) {
            assertThat(saved.problem()).isEmpty();
            saved.remove();
        }
        assertThat(file).doesNotExist();
    }

    private static List<MeasuredRun> make(Path file, ExperimentMatrix matrix) {
        try (SavedRuns saved = SavedRuns.open(file, matrix.cells(), new RunIdentity())) {
            return matrix.run(2, RunProgress.NONE, saved);
        }
    }
}
