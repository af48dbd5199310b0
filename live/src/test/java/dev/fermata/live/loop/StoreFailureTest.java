package dev.fermata.live.loop;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.live.health.HealthStatus.DaemonPhase;
import dev.fermata.live.metrics.DaemonMetrics;
import dev.fermata.live.request.RequestRejectedException;
import dev.fermata.live.request.RequestRejectedException.Category;
import dev.fermata.live.service.DefaultSchedulerService;
import dev.fermata.live.service.SchedulerService;
import dev.fermata.live.store.StoreException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A scheduler loop on its own thread whose store fails. */
class StoreFailureTest {
    private final LoopFixture fixture = new LoopFixture("fifo", 2);
    private final SchedulerLoop loop = new SchedulerLoop(
                    fixture.store,
                    fixture.engine,
                    PolicySpec.parse("fifo"),
                    LoopSettings.DEFAULT,
                    false,
                    new MonotonicClock(),
                    new DaemonMetrics())
            .start();
    private final SchedulerService service = new DefaultSchedulerService(loop);

    @AfterEach
    void stop() {
        fixture.store.failWith(null);
        loop.close();
    }

    private CompletableFuture<List<Long>> submit() {
        return service.submit(LoopFixture.ANN, LoopFixture.specs(TestSpec.gpus(1)), null);
    }

    private void awaitPhase(DaemonPhase phase) {
        await().atMost(20, SECONDS).until(() -> service.health().phase() == phase);
    }

    @Test
    void nothingIsAnsweredBeforeItIsDurable() {
        loop.ready().join();
        submit().join();
        // The answer comes when the job is durable. Its start follows, and then what the engine says of it.
        await().atMost(20, SECONDS).until(() -> fixture.row(1).state() == JobState.STARTING);
        service.explain(1).join();
        service.explain(1).join();
        fixture.store.failWith(new StoreException("no space left on device", true, new IllegalStateException()));
        CompletableFuture<List<Long>> caught = submit();
        awaitPhase(DaemonPhase.DEGRADED);
        assertThat(service.health().problem()).contains("no space left");
        assertThat(caught).isNotDone();
        int orders = fixture.engine.orders.size();
        fixture.engine.end(1, Outcome.COMPLETED, 0, "");
        assertThat(rejectionCategory(submit())).isEqualTo(Category.UNAVAILABLE);
        assertThat(rejectionCategory(service.explain(1).thenApply(e -> e))).isEqualTo(Category.UNAVAILABLE);
        assertThat(service.health().queuedRequests()).isEqualTo(1);
        assertThat(fixture.engine.orders).hasSize(orders);
        assertThat(fixture.store.job(2)).isEmpty();

        fixture.store.failWith(null);
        assertThat(caught.join()).containsExactly(2L);
        awaitPhase(DaemonPhase.LEADING);
        assertThat(service.health().problem()).isEmpty();
        await().atMost(20, SECONDS).until(() -> fixture.row(1).state() == JobState.COMPLETED);
        assertThat(submit().join()).containsExactly(3L);
    }

    @Test
    void loopStopsAfterLosingLeadership() {
        loop.ready().join();
        fixture.store.failWith(new StoreException("another daemon leads now", false, new IllegalStateException()));
        assertThat(rejectionCategory(submit())).isEqualTo(Category.UNAVAILABLE);
        assertThat(loop.ended().join()).contains("another daemon leads now");
        assertThat(service.health().phase()).isEqualTo(DaemonPhase.STOPPED);
        assertThat(fixture.engine.orders).isEmpty();
        assertThat(rejectionCategory(submit())).isEqualTo(Category.UNAVAILABLE);
    }

    @Test
    void closingDuringAStoreFailureTerminates() {
        loop.ready().join();
        fixture.store.failWith(new StoreException("gone", true, new IllegalStateException()));
        CompletableFuture<List<Long>> caught = submit();
        awaitPhase(DaemonPhase.DEGRADED);
        loop.close();
        assertThat(rejectionCategory(caught)).isEqualTo(Category.UNAVAILABLE);
        assertThat(service.health().phase()).isEqualTo(DaemonPhase.STOPPED);
        assertThat(fixture.store.hasSnapshot())
                .as("a snapshot of entries that never became durable")
                .isFalse();
    }

    @Test
    void idleLoopHasNoCycleAge() {
        loop.ready().join();
        await().atMost(20, SECONDS).until(() -> service.health().cycles() >= 1); // a cycle without a request
        submit().join();
        await().atMost(20, SECONDS).until(() -> service.health().cycleAgeMillis() == 0);
        long before = service.health().cycles();
        int requests = 50;
        for (int i = 0; i < requests; i++) {
            service.explain(1).join();
        }
        assertThat(service.health().cycles() - before)
                .as("cycles in all, one for each request, and those of the engine's answers to the start")
                .isLessThanOrEqualTo(requests + 3);
    }

    private static Category rejectionCategory(CompletableFuture<?> answer) {
        try {
            throw new AssertionError("granted: " + answer.join());
        } catch (CompletionException e) {
            if (e.getCause() instanceof RequestRejectedException rejection) {
                return rejection.category();
            }
            throw e;
        }
    }
}
