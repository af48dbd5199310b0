package dev.fermata.live.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** The threads are played by the test: each task of {@link #threads} is one that would begin to work. */
class FairExecutorTest {
    private final Deque<Runnable> threads = new ArrayDeque<>();
    private final FairExecutor executor = new FairExecutor(threads::add, 1, 6);
    private final List<String> done = new ArrayList<>();

    private void submit(String caller, String task) {
        executor.of(caller).execute(() -> done.add(task));
    }

    @Test
    void callersTakeTurnsHoweverMuchOneSends() {
        submit("mallory", "m1");
        submit("mallory", "m2");
        submit("mallory", "m3");
        submit("ann", "a1");
        submit("bob", "b1");

        threads.remove().run();

        assertThat(done).containsExactly("m1", "a1", "b1", "m2", "m3");
        assertThat(threads).as("one thread works through all").isEmpty();
    }

    @Test
    void noMoreThreadsWorkThanAllowed() {
        for (int i = 0; i < 5; i++) {
            submit("ann", "a" + i);
        }
        assertThat(threads).hasSize(1);
        threads.remove().run();
        submit("ann", "later");
        assertThat(threads).as("another begins when work comes again").hasSize(1);
        threads.remove().run();
        assertThat(done).hasSize(6);
    }

    @Test
    void moreThanMayWaitAreRefused() {
        for (int i = 0; i < 6; i++) {
            submit("ann", "a" + i);
        }
        assertThatThrownBy(() -> submit("bob", "b")).isInstanceOf(RejectedExecutionException.class);
        threads.remove().run();
        submit("bob", "b");
        threads.remove().run();
        assertThat(done).hasSize(7).last().isEqualTo("b");
    }

    @Test
    void failingTaskHoldsUpNoOther() {
        executor.of("mallory").execute(() -> {
            throw new IllegalStateException("broken");
        });
        submit("ann", "a");
        threads.remove().run();
        submit("ann", "later");
        threads.remove().run();
        assertThat(done).containsExactly("a", "later");
    }
}
