package dev.fermata.live.conductor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.live.conductor.Pulse.Phase;
import dev.fermata.live.conductor.Refusal.Kind;
import dev.fermata.live.metrics.Meters;
import dev.fermata.live.store.StoreException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A conductor on its own thread whose store fails. */
class UndurableTest {
    private final Stage stage = new Stage("fifo", 2);
    private final Conductor conductor = new Conductor(
                    stage.store,
                    stage.engine,
                    PolicySpec.parse("fifo"),
                    ConductorSettings.DEFAULT,
                    false,
                    new SteadyClock(),
                    new Meters())
            .start();
    private final Desk desk = conductor.desk();

    @AfterEach
    void stop() {
        stage.store.failWith(null);
        conductor.close();
    }

    private CompletableFuture<List<Long>> submit() {
        return desk.submit(Stage.ANN, Stage.jobs(Specs.gpus(1)), null);
    }

    private void awaitPhase(Phase phase) {
        await().atMost(20, SECONDS).until(() -> desk.pulse().phase() == phase);
    }

    @Test
    void nothingIsSaidBeforeItIsDurableAndAllIsWellAfterwards() {
        conductor.ready().join();
        submit().join();
        stage.store.failWith(new StoreException("no space left on device", true, new IllegalStateException()));
        CompletableFuture<List<Long>> caught = submit();
        awaitPhase(Phase.DEGRADED);
        assertThat(desk.pulse().trouble()).contains("no space left");
        assertThat(caught).isNotDone();
        int orders = stage.engine.orders.size();
        stage.engine.left(1, Outcome.COMPLETED, 0, "");
        assertThat(refusal(submit())).isEqualTo(Kind.UNAVAILABLE);
        assertThat(refusal(desk.explain(1).thenApply(e -> e))).isEqualTo(Kind.UNAVAILABLE);
        assertThat(desk.pulse().inbox()).isEqualTo(1);
        assertThat(stage.engine.orders).hasSize(orders);
        assertThat(stage.store.job(2)).isEmpty();

        stage.store.failWith(null);
        assertThat(caught.join()).containsExactly(2L);
        awaitPhase(Phase.LEADING);
        assertThat(desk.pulse().trouble()).isEmpty();
        await().atMost(20, SECONDS).until(() -> stage.row(1).state() == JobState.COMPLETED);
        assertThat(submit().join()).containsExactly(3L);
    }

    @Test
    void whoIsNoLongerTheWriterStops() {
        conductor.ready().join();
        stage.store.failWith(new StoreException("another daemon leads now", false, new IllegalStateException()));
        assertThat(refusal(submit())).isEqualTo(Kind.UNAVAILABLE);
        assertThat(conductor.ended().join()).contains("another daemon leads now");
        assertThat(desk.pulse().phase()).isEqualTo(Phase.STOPPED);
        assertThat(stage.engine.orders).isEmpty();
        assertThat(refusal(submit())).isEqualTo(Kind.UNAVAILABLE);
    }

    @Test
    void closingWhileNothingIsDurableComesToAnEnd() {
        conductor.ready().join();
        stage.store.failWith(new StoreException("gone", true, new IllegalStateException()));
        CompletableFuture<List<Long>> caught = submit();
        awaitPhase(Phase.DEGRADED);
        conductor.close();
        assertThat(refusal(caught)).isEqualTo(Kind.UNAVAILABLE);
        assertThat(desk.pulse().phase()).isEqualTo(Phase.STOPPED);
        assertThat(stage.store.hasImage()).as("an image of what never became durable").isFalse();
    }

    @Test
    void idleConductorHasNoAge() {
        conductor.ready().join();
        await().atMost(20, SECONDS).until(() -> desk.pulse().cycles() == 1); // decided without being asked
        submit().join();
        await().atMost(20, SECONDS).until(() -> desk.pulse().cycleAgeMillis() == 0);
        long cycles = desk.pulse().cycles();
        await().during(1, SECONDS).atMost(5, SECONDS).until(() -> desk.pulse().cycles() == cycles);
    }

    private static Kind refusal(CompletableFuture<?> answer) {
        try {
            throw new AssertionError("granted: " + answer.join());
        } catch (CompletionException e) {
            if (e.getCause() instanceof Refusal refusal) {
                return refusal.kind();
            }
            throw e;
        }
    }
}
