package dev.fermata.live.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.live.health.HealthStatus.DaemonPhase;
import dev.fermata.live.request.LoopRequest;
import dev.fermata.live.request.RequestRejectedException.Category;
import dev.fermata.live.store.StoreException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A scheduler loop run step by step while its store fails: it waits by the given time alone. */
class CommitRetryTest {
    private final LoopFixture fixture = new LoopFixture("fifo", 2);

    private CompletableFuture<List<Long>> submit() {
        return fixture.service().submit(LoopFixture.ANN, LoopFixture.specs(TestSpec.gpus(1)), null);
    }

    private void failStore() {
        fixture.store.failWith(new StoreException("no space left on device", true));
    }

    @Test
    void failedCommitIsDueAgainAfterBackoffThatDoublesUpToItsLimit() {
        failStore();
        assertThat(submit()).isNotDone();
        long[] waits = new long[9];
        for (int i = 0; i < waits.length; i++) {
            long due = fixture.runCycle();
            waits[i] = due - fixture.now;
            fixture.now = due;
        }
        assertThat(waits).containsExactly(100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000);
        assertThat(fixture.service().health().phase()).isEqualTo(DaemonPhase.DEGRADED);
    }

    @Test
    void batchIsNotTriedBeforeItIsDue() {
        failStore();
        CompletableFuture<List<Long>> caught = submit();
        long due = fixture.runCycle();
        fixture.store.failWith(null);
        fixture.now = due - 1;
        assertThat(fixture.runCycle()).isEqualTo(due);
        assertThat(caught).isNotDone();
        assertThat(fixture.engine.orders).isEmpty();

        fixture.now = due;
        fixture.runCycle();
        assertThat(caught.join()).containsExactly(1L);
        assertThat(fixture.engine.orders).containsExactly("start 1.1 on [0]");
        assertThat(fixture.service().health().phase()).isEqualTo(DaemonPhase.LEADING);
    }

    @Test
    void engineEventsWaitAndRequestsAreRejectedUntilTheBatchIsDurable() {
        fixture.runAndGet(submit());
        failStore();
        assertThat(submit()).isNotDone();
        fixture.now = fixture.runCycle();
        fixture.engine.end(1, Outcome.COMPLETED, 0, "");
        CompletableFuture<Integer> late = new CompletableFuture<>(); // passed the service before the failure
        fixture.loop().inbox.offer(new LoopRequest.LoopQuery<>(() -> 1, late));
        assertThat(fixture.rejection(late).category()).isEqualTo(Category.UNAVAILABLE);
        assertThat(fixture.row(1).state()).isEqualTo(JobState.STARTING);

        fixture.store.failWith(null);
        fixture.advance(10_000).advance(1);
        assertThat(fixture.row(1).state()).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void cleanEndSavesNoSnapshotOfWhatIsNotDurable() {
        failStore();
        CompletableFuture<List<Long>> caught = submit();
        fixture.runCycle();
        fixture.loop().finish();
        assertThat(caught).isCompletedExceptionally();
        assertThat(fixture.store.hasSnapshot()).isFalse();
    }
}
