package dev.fermata.app.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.app.output.Progress;
import dev.fermata.app.output.Screen;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MatrixTest {
    private static final List<String> POLICIES = List.of("fifo", "srtf", "las", "xion", "dally", "fermata");
    private static final List<Long> SEEDS = List.of(1L, 2L, 3L, 4L, 5L);

    @Test
    void aTraceIsReadOnceForAllPoliciesAndSeeds(@TempDir Path folder) throws IOException {
        Path trace = folder.resolve("trace.csv");
        Files.writeString(trace, "id,submit_s,gpus,duration_s\n1,0,4,100\n2,5,8,60\n3,9,1,500\n");
        Matrix matrix = Cells.matrix(trace.toString(), POLICIES, SEEDS);
        Files.delete(trace); // whoever reads it again is found out

        List<Measured> runs = run(matrix, 2, Shelf.NONE);

        assertThat(runs).hasSize(30).allMatch(run -> run.summary().all().completed() == 3);
    }

    /** Each run waits, when it is done, for two others to be done: with fewer threads at work this never ends. */
    @Test
    void allThreadsAreAtWork() {
        CyclicBarrier three = new CyclicBarrier(3);
        Matrix matrix = Cells.matrix("synthetic:jobs=20", POLICIES, SEEDS);

        List<Measured> runs = run(matrix, 3, new Shelf() {
            @Override
            public Optional<Measured> find(Cell cell) {
                return Optional.empty();
            }

            @Override
            public Optional<String> keep(Cell cell, Measured run) {
                try {
                    three.await(1, TimeUnit.MINUTES);
                } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                    throw new IllegalStateException(e);
                }
                return Optional.empty();
            }
        });

        assertThat(runs).hasSize(30);
    }

    @Test
    void whatIsOnTheShelfIsNotRunAgainAndStandsInItsPlace() {
        Matrix matrix = Cells.matrix("synthetic:jobs=20", POLICIES, SEEDS);
        List<Measured> all = run(matrix, 2, Shelf.NONE);
        Map<Integer, Measured> shelved = new HashMap<>();
        for (int place = 0; place < all.size(); place += 3) {
            shelved.put(place, all.get(place));
        }
        List<Integer> made = Collections.synchronizedList(new ArrayList<>());

        List<Measured> again = run(matrix, 2, new Shelf() {
            @Override
            public Optional<Measured> find(Cell cell) {
                return Optional.ofNullable(shelved.get(cell.place()));
            }

            @Override
            public Optional<String> keep(Cell cell, Measured run) {
                made.add(cell.place());
                return Optional.empty();
            }
        });

        assertThat(made).hasSize(20).doesNotContainAnyElementsOf(shelved.keySet());
        for (int place = 0; place < all.size(); place++) {
            assertThat(again.get(place).summary()).isEqualTo(all.get(place).summary());
            assertThat(again.get(place).policy())
                    .isEqualTo(matrix.cells().get(place).policy());
            assertThat(again.get(place).result().seed())
                    .isEqualTo(matrix.cells().get(place).seed());
        }
    }

    private static List<Measured> run(Matrix matrix, int threads, Shelf shelf) {
        try (Progress progress = Progress.start(new PrintWriter(new StringWriter()), Screen.PIPE, true, threads)) {
            return matrix.run(threads, progress, shelf);
        }
    }
}
