package dev.fermata.core.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Topology;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Starts that fail: their job waits and may fail for good, their node is excluded for a while. */
class StartFailuresTest {
    private static final Topology CLUSTER = Topology.builder()
            .node(GpuCatalogue.byName("V100"), 2)
            .node(GpuCatalogue.byName("V100"), 2)
            .build();

    private final SchedulerHarness harness = new SchedulerHarness(CLUSTER);
    private final Scheduler copy = new SchedulerHarness(CLUSTER).scheduler;
    private long now;

    private Decision replayed(Decision decision) {
        decision.records()
                .forEach(record -> copy.replay(harness.scheduler.view().nowMillis(), record));
        assertThat(copy.snapshot()).isEqualTo(harness.scheduler.snapshot());
        return decision;
    }

    private Decision failedStart(long job, int gpu, int attempt, int node) {
        replayed(harness.apply(new Action.Start(job, harness.exclusive(gpu))));
        return replayed(harness.at(now).handle(new Event.StartFailed(job, attempt, "no disk", node)));
    }

    private void at(long millis) {
        now = millis;
        replayed(harness.at(now).handle());
    }

    private JobState state(long job) {
        return Objects.requireNonNull(harness.scheduler.job(job)).state();
    }

    @Test
    void aJobWhoseStartFailedWaitsTwiceAsLongEachTime() {
        replayed(harness.submit(SchedulerHarness.job(1, 1)));
        Decision first = failedStart(1, 0, 1, -1);
        assertThat(first.records())
                .contains(new HistoryRecord.StartFailed(1, 1, "no disk", 1, now + 2_000, -1, 0))
                .anyMatch(record -> record instanceof HistoryRecord.AttemptEnded ended
                        && ended.outcome() == Outcome.LOST
                        && ended.next() == JobState.PENDING);
        assertThat(first.wakeAtMillis()).isLessThanOrEqualTo(now + 2_000);
        assertThat(harness.scheduler.explain(1)).isEqualTo(new PendingReason.StartFailed(1, 1, 8, now + 2_000));
        assertThat(Objects.requireNonNull(harness.scheduler.job(1)).onHold()).isTrue();
        at(2_000);
        assertThat(Objects.requireNonNull(harness.scheduler.job(1)).onHold()).isFalse();
        failedStart(1, 0, 2, -1);
        assertThat(harness.scheduler.explain(1)).isEqualTo(new PendingReason.StartFailed(1, 2, 8, 6_000));
        assertThat(harness.restored().scheduler.snapshot()).isEqualTo(harness.scheduler.snapshot());
        assertThat(harness.restored().scheduler.explain(1)).isEqualTo(new PendingReason.StartFailed(1, 2, 8, 6_000));
    }

    @Test
    void aJobFailsAfterEightFailedStartsInARow() {
        replayed(harness.submit(SchedulerHarness.job(1, 1)));
        for (int attempt = 1; attempt < 8; attempt++) {
            failedStart(1, 0, attempt, -1);
            assertThat(state(1)).isEqualTo(JobState.PENDING);
            at(now + 300_000);
        }
        assertThat(failedStart(1, 0, 8, -1).records()).anyMatch(record -> record.finalState() == JobState.FAILED);
        assertThat(harness.scheduler.job(1)).isNull();
    }

    @Test
    void aStartThatSucceedsForgetsTheFailures() {
        replayed(harness.submit(SchedulerHarness.job(1, 1)));
        failedStart(1, 0, 1, 0);
        at(2_000);
        replayed(harness.apply(new Action.Start(1, harness.exclusive(0))));
        replayed(harness.handle(new Event.Running(1, 2, 1_000_000)));
        assertThat(harness.scheduler.snapshot().startFailures().jobs()).isEmpty();
        assertThat(harness.scheduler.snapshot().startFailures().nodes()).isEmpty();
    }

    @Test
    void aNodeIsExcludedAfterThreeFailuresAndComesBack() {
        replayed(harness.submit(SchedulerHarness.job(1, 1), SchedulerHarness.job(2, 1), SchedulerHarness.job(3, 1)));
        failedStart(1, 0, 1, 0);
        failedStart(2, 0, 1, 0);
        assertThat(harness.scheduler.view().schedulableGpus(0)).isEqualTo(4);
        failedStart(3, 0, 1, 0);
        assertThat(harness.scheduler.view().schedulableGpus(0)).isEqualTo(2);
        assertThat(harness.restored().scheduler.view().schedulableGpus(0)).isEqualTo(2);
        at(299_999);
        assertThat(harness.scheduler.view().schedulableGpus(0)).isEqualTo(2);
        at(300_000);
        assertThat(harness.scheduler.view().schedulableGpus(0)).isEqualTo(4);
        assertThat(harness.restored().scheduler.snapshot()).isEqualTo(harness.scheduler.snapshot());
        failedStart(1, 1, 2, 0);
        assertThat(harness.scheduler.view().schedulableGpus(0))
                .as("one more failure excludes it again")
                .isEqualTo(2);
    }

    @Test
    void aFailureOfAnOldAttemptIsIgnored() {
        replayed(harness.submit(SchedulerHarness.job(1, 1)));
        replayed(harness.apply(new Action.Start(1, harness.exclusive(0))));
        assertThat(harness.handle(new Event.StartFailed(1, 7, "late", -1)).records())
                .isEmpty();
        replayed(harness.handle(new Event.Running(1, 1, 1_000_000)));
        assertThat(harness.handle(new Event.StartFailed(1, 1, "too late", -1)).records())
                .isEmpty();
        assertThat(state(1)).isEqualTo(JobState.RUNNING);
    }

    @Test
    void eventsAreAppliedWithoutADecision() {
        Decision decision = harness.scheduler.applyEvents(5, List.of(new Event.Submitted(SchedulerHarness.job(1, 1))));
        assertThat(decision.orders()).isEmpty();
        assertThat(decision.records()).hasSize(1);
        assertThat(state(1)).isEqualTo(JobState.PENDING);
    }
}
