package dev.fermata.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The program as a process whose output cannot be written. */
@EnabledOnOs(OS.LINUX)
class StandardOutputTest {
    private static final List<String> FULL = List.of("bash", "-c", "exec \"$@\" >/dev/full", "bash");
    private static final String LOST = "fermata: cannot write standard output: No space left on device";
    private static final String[] COMPARE = {
        "compare", "--workload", "synthetic:jobs=50", "--policies", "fifo,las", "-o", "json"
    };

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"policies", "--help"})
    void aFullDiskIsAnError(String command) throws Exception {
        try (FermataProcess run = FermataProcess.start(folder, FULL, command)) {
            assertThat(run.await()).isEqualTo(1);
            assertThat(run.err()).containsOnlyOnce(LOST);
        }
    }

    @Test
    void aComparisonThatCouldNotBePrintedResumesFromItsRuns() throws Exception {
        try (FermataProcess run = FermataProcess.start(folder, FULL, COMPARE)) {
            assertThat(run.await()).isEqualTo(1);
            assertThat(run.err()).containsOnlyOnce(LOST);
        }
        String[] again =
                Stream.concat(Stream.of(COMPARE), Stream.of("--resume")).toArray(String[]::new);
        try (FermataProcess run = FermataProcess.start(folder, again)) {
            assertThat(run.await()).isZero();
            assertThat(run.err()).contains("2 of 2 runs saved already");
        }
        try (Stream<Path> cached =
                Files.list(FermataProcess.cache(folder).resolve("fermata").resolve("compare"))) {
            assertThat(cached).as("gone when printed").isEmpty();
        }
    }

    @Test
    void aClosedPipeIsNoError() throws Exception {
        List<String> left = List.of("bash", "-c", "exec \"$@\" > >(exit 0)", "bash");
        try (FermataProcess run = FermataProcess.start(folder, left, COMPARE)) {
            assertThat(run.await()).isZero();
            assertThat(run.err()).doesNotContain("cannot write");
        }
    }
}
