package dev.fermata.sim.reproduce;

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

class LabTest {
    private final ExecutorService pool = Executors.newFixedThreadPool(2);
    private final List<String> done = Collections.synchronizedList(new ArrayList<>());
    private volatile boolean stop;

    private final Lab lab = new Lab(pool, List.of(1L, 2L), new Lab.Watcher() {
        @Override
        public void done(String piece) {
            done.add(piece);
        }

        @Override
        public boolean stop() {
            return stop;
        }
    });

    @AfterEach
    void closePool() {
        pool.shutdownNow();
    }

    @Test
    void answersComeInTheOrderOfThePieces() {
        List<Lab.Piece<Integer>> pieces = IntStream.range(0, 50)
                .mapToObj(i -> new Lab.Piece<>("piece " + i, () -> i))
                .toList();

        assertThat(lab.all(pieces))
                .containsExactlyElementsOf(IntStream.range(0, 50).boxed().toList());
        assertThat(done).hasSize(50).contains("piece 49");
    }

    @Test
    void stopsWithoutWaitingForAPieceThatDoesNotListen() {
        CountDownLatch never = new CountDownLatch(1);
        Lab.Piece<String> deaf = new Lab.Piece<>("deaf", () -> {
            stop = true;
            never.await();
            return "";
        });

        assertThatThrownBy(() -> lab.all(List.of(deaf))).isInstanceOf(Lab.Stopped.class);
        assertThat(done).isEmpty();
    }

    @Test
    void aFailureIsHandedOnAsItIs() {
        Lab.Piece<String> broken = new Lab.Piece<>("broken", () -> {
            throw new IllegalArgumentException("no such thing");
        });
        Lab.Piece<String> worse = new Lab.Piece<>("worse", () -> {
            throw new StackOverflowError();
        });

        assertThatThrownBy(() -> lab.all(List.of(broken)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("no such thing");
        assertThatThrownBy(() -> lab.all(List.of(worse))).isInstanceOf(StackOverflowError.class);
    }
}
