package dev.fermata.insight.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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

class ExperimentMatrixTest {
    private static final List<String> POLICIES = List.of("fifo", "srtf", "las", "xion", "dally", "fermata");
    private static final List<Long> SEEDS = List.of(1L, 2L, 3L, 4L, 5L);

    @Test
    void aTraceIsReadOnceForAllPoliciesAndSeeds(@TempDir Path folder) throws IOException {
        Path trace = folder.resolve("trace.csv");
        Files.writeString(trace, "id,submit_s,gpus,duration_s\n1,0,4,100\n2,5,8,60\n3,9,1,500\n");
        ExperimentMatrix matrix = MatrixCells.matrix(trace.toString(), POLICIES, SEEDS);
        Files.delete(trace); // a second read fails

        List<MeasuredRun> runs = run(matrix, 2, RunCache.NONE);

        assertThat(runs).hasSize(30).allMatch(run -> run.summary().all().completed() == 3);
    }

    /** Each run waits, when it is done, for two others to be done: with fewer threads at work this never ends. */
    @Test
    void allThreadsAreAtWork() {
        CyclicBarrier three = new CyclicBarrier(3);
        ExperimentMatrix matrix = MatrixCells.matrix("synthetic:jobs=20", POLICIES, SEEDS);

        List<MeasuredRun> runs = run(matrix, 3, new RunCache() {
            @Override
            public Optional<MeasuredRun> find(MatrixCell cell) {
                return Optional.empty();
            }

            @Override
            public Optional<String> store(MatrixCell cell, MeasuredRun run) {
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
    void cachedRunsAreReusedInTheirPlace() {
        ExperimentMatrix matrix = MatrixCells.matrix("synthetic:jobs=20", POLICIES, SEEDS);
        List<MeasuredRun> all = run(matrix, 2, RunCache.NONE);
        Map<Integer, MeasuredRun> cached = new HashMap<>();
        for (int place = 0; place < all.size(); place += 3) {
            cached.put(place, all.get(place));
        }
        List<Integer> prepared = Collections.synchronizedList(new ArrayList<>());

        List<MeasuredRun> again = run(matrix, 2, new RunCache() {
            @Override
            public Optional<MeasuredRun> find(MatrixCell cell) {
                return Optional.ofNullable(cached.get(cell.index()));
            }

            @Override
            public Optional<String> store(MatrixCell cell, MeasuredRun run) {
                prepared.add(cell.index());
                return Optional.empty();
            }
        });

        assertThat(prepared).hasSize(20).doesNotContainAnyElementsOf(cached.keySet());
        for (int place = 0; place < all.size(); place++) {
            assertThat(again.get(place).summary()).isEqualTo(all.get(place).summary());
            assertThat(again.get(place).policy())
                    .isEqualTo(matrix.cells().get(place).policy());
            assertThat(again.get(place).result().seed())
                    .isEqualTo(matrix.cells().get(place).seed());
        }
    }

    private static List<MeasuredRun> run(ExperimentMatrix matrix, int threads, RunCache runCache) {
        return matrix.run(threads, RunProgress.NONE, runCache);
    }
}
