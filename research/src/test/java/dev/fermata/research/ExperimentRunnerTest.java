package dev.fermata.research;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ExperimentRunnerTest {
    private final ExecutorService pool = Executors.newFixedThreadPool(2);
    private final List<String> done = Collections.synchronizedList(new ArrayList<>());
    private volatile boolean stop;

    private final ExperimentRunner runner =
            new ExperimentRunner(pool, List.of(1L, 2L), new ExperimentRunner.ProgressObserver() {
                @Override
                public void completed(String workUnit) {
                    done.add(workUnit);
                }

                @Override
                public boolean shouldStop() {
                    return stop;
                }
            });

    @AfterEach
    void closePool() {
        pool.shutdownNow();
    }

    @Test
    void resultsAreInTheOrderOfTheWorkUnits() {
        List<ExperimentRunner.WorkUnit<Integer>> workUnits = IntStream.range(0, 50)
                .mapToObj(i -> new ExperimentRunner.WorkUnit<>("unit " + i, () -> i))
                .toList();

        assertThat(runner.runAll(workUnits))
                .containsExactlyElementsOf(IntStream.range(0, 50).boxed().toList());
        assertThat(done).hasSize(50).contains("unit 49");
    }

    @Test
    void stopsWithoutWaitingForAnUnresponsiveWorkUnit() {
        CountDownLatch never = new CountDownLatch(1);
        ExperimentRunner.WorkUnit<String> unresponsive = new ExperimentRunner.WorkUnit<>("deaf", () -> {
            stop = true;
            never.await();
            return "";
        });

        assertThatThrownBy(() -> runner.runAll(List.of(unresponsive)))
                .isInstanceOf(ExperimentRunner.RunCancelledException.class);
        assertThat(done).isEmpty();
    }

    @Test
    void aFailureIsRethrownUnchanged() {
        ExperimentRunner.WorkUnit<String> broken = new ExperimentRunner.WorkUnit<>("broken", () -> {
            throw new IllegalArgumentException("no such thing");
        });
        ExperimentRunner.WorkUnit<String> worse = new ExperimentRunner.WorkUnit<>("worse", () -> {
            throw new StackOverflowError();
        });

        assertThatThrownBy(() -> runner.runAll(List.of(broken)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no such thing");
        assertThatThrownBy(() -> runner.runAll(List.of(worse))).isInstanceOf(StackOverflowError.class);
    }
}
