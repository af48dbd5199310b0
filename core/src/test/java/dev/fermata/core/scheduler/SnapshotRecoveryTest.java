package dev.fermata.core.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Snapshots and replay where the random scenarios of the invariants seldom go. */
class SnapshotRecoveryTest {
    private static final Topology FOUR =
            Topology.builder().node(GpuCatalogue.byName("V100"), 4).build();

    private final SchedulerHarness harness = new SchedulerHarness(FOUR);
    private final Scheduler copy = new SchedulerHarness(FOUR).scheduler;

    /** Replays the decision on the copy, and compares. */
    private void replayed(Decision decision) {
        long now = harness.scheduler.view().nowMillis();
        decision.records().forEach(historyRecord -> copy.replay(now, historyRecord));
        assertThat(copy.snapshot()).isEqualTo(harness.scheduler.snapshot());
    }

    private void startAndRun(Job job, int... gpus) {
        replayed(harness.submit(job));
        replayed(harness.apply(new Action.Start(job.id(), harness.exclusive(gpus))));
        replayed(harness.running(job.id()));
    }

    @Test
    void queueRulesAndHoldsAreRestored() {
        replayed(harness.submit(SchedulerHarness.job(1, 1), SchedulerHarness.job(2, 1)));
        List<QueueRule> rules = List.of(new QueueRule("research", 2, 3, 1.5));
        replayed(harness.at(5)
                .handle(new Event.QueuesSet(rules), new Event.HoldRequested(1), new Event.HoldRequested(2)));
        replayed(harness.at(6).handle(new Event.ReleaseRequested(2)));

        SchedulerSnapshot snapshot = copy.snapshot();
        assertThat(snapshot.lastRecordMillis()).isEqualTo(6);
        assertThat(snapshot.queueRules()).isEqualTo(rules);
        assertThat(snapshot.jobs())
                .extracting(SchedulerSnapshot.JobSnapshot::onHold)
                .containsExactly(true, false);
        assertThat(harness.restored().scheduler.view().queueRules()).isEqualTo(rules);
    }

    @Test
    void aReservationReleasedByAFaultIsReleasedInTheCopy() {
        startAndRun(SchedulerHarness.job(1, 2), 0, 1);
        replayed(harness.submit(SchedulerHarness.job(2, 2)));
        replayed(harness.apply(new Action.Preempt(2, harness.exclusive(0, 1), List.of(1L), 0, 0)));
        Decision broken = harness.at(9).handle(new Event.GpuDown(1));

        assertThat(broken.records()).contains(new HistoryRecord.ReservationReleased(2));
        replayed(broken);
        replayed(harness.handle(new Event.NodeDown(0), new Event.GpuUp(1)));
        assertThat(copy.snapshot().nodesDown()).containsExactly(0);
        assertThat(copy.snapshot().gpusDown()).isEmpty();
    }

    @Test
    void drainedNodesAreRestored() {
        startAndRun(SchedulerHarness.job(1, 2), 0, 1);
        replayed(harness.submit(SchedulerHarness.job(2, 2)));
        replayed(harness.apply(new Action.Preempt(2, harness.exclusive(0, 1), List.of(1L), 0, 0)));
        replayed(harness.at(9).handle(new Event.NodeDrained(0), new Event.NodeDown(0), new Event.NodeUp(0)));

        assertThat(copy.snapshot().drainedNodes()).containsExactly(0);
        assertThat(copy.snapshot().nodesDown()).isEmpty();
        assertThat(harness.restored().scheduler.view().schedulableGpus(0)).isZero();
        replayed(harness.handle(new Event.NodeUndrained(0)));
        assertThat(copy.snapshot().drainedNodes()).isEmpty();
    }

    @Test
    void aCancelledJobWithAReservationIsGoneInTheCopy() {
        startAndRun(SchedulerHarness.job(1, 2), 0, 1);
        replayed(harness.submit(SchedulerHarness.job(2, 2)));
        replayed(harness.apply(new Action.Preempt(2, harness.exclusive(0, 1), List.of(1L), 0, 0)));
        replayed(harness.at(9).handle(new Event.CancelRequested(2), new Event.CancelRequested(1)));
        replayed(harness.at(10).end(1, Outcome.CANCELLED));

        assertThat(copy.jobs()).isEmpty();
        assertThat(copy.view().capacity().availableOnNode(0, dev.fermata.core.contract.Horizon.NOW))
                .isEqualTo(4);
    }

    @Test
    void aMoveIsReplayedAsAReservationForTheSameJob() {
        startAndRun(SchedulerHarness.job(1, 1), 0);
        replayed(harness.at(5).apply(new Action.Move(1, harness.exclusive(3))));
        replayed(harness.at(7).end(1, Outcome.PREEMPTED));

        assertThat(Objects.requireNonNull(copy.job(1)).allocation()).isEqualTo(harness.exclusive(3));
        assertThat(Objects.requireNonNull(copy.job(1)).attempt()).isEqualTo(2);
    }

    @Test
    void outOfMemoryCountAndFifoKeyAreRestored() {
        replayed(harness.submit(SchedulerHarness.job(1, 1)));
        replayed(harness.apply(new Action.Start(1, harness.exclusive(0))));
        replayed(harness.at(50).end(1, Outcome.OOM));

        SchedulerSnapshot.JobSnapshot jobSnapshot = copy.snapshot().jobs().get(0);
        assertThat(jobSnapshot.outOfMemory()).isEqualTo(1);
        assertThat(jobSnapshot.fifoKeyMillis()).isEqualTo(50);
        assertThat(jobSnapshot.submittedMillis()).isZero();
    }

    private static Job with(long id, long cpuMilli) {
        return Job.builder(id, 1)
                .demand(new Demand(1, 1, 0, 1000, List.of(), cpuMilli, 0))
                .build();
    }

    /** As in {@link ReservationOnBusyHostTest}, but the job that waits for CPU is restored from a snapshot in between. */
    @Test
    void aReservationThatWaitsForCpuIsUsedAfterARestore() {
        SchedulerHarness crowded = new SchedulerHarness(Topology.builder()
                .node("n", GpuCatalogue.byName("V100"), 2, 1000, 1000)
                .build());
        crowded.startAndRun(with(1, 0), 0);
        crowded.startAndRun(with(2, 1000), 1);
        crowded.submit(with(3, 0), with(4, 1000));
        crowded.apply(
                new Action.Preempt(3, crowded.exclusive(0), List.of(1L), 0, 0),
                new Action.Preempt(4, crowded.exclusive(1), List.of(2L), 0, 0));
        crowded.end(1, Outcome.PREEMPTED);
        assertThat(crowded.job(3).state()).isEqualTo(JobState.PENDING);

        SchedulerHarness restored = crowded.restored();
        restored.handle();
        restored.end(2, Outcome.PREEMPTED);

        assertThat(restored.job(3).state()).isEqualTo(JobState.STARTING);
        assertThat(restored.job(4).state()).isEqualTo(JobState.STARTING);
    }

    @Test
    void theFirstDecisionAfterARestoreSeesEveryLiveJob() {
        harness.startAndRun(SchedulerHarness.job(1, 4), 0, 1, 2, 3);
        harness.at(10).submit(SchedulerHarness.job(2, 4));
        harness.at(20).handle();
        Scheduler next = new Scheduler(FOUR, PolicySpec.parse("sjf").create(), (job, now) -> 1, GuardMode.FULL, true);
        next.restore(harness.scheduler.snapshot());

        assertThat(next.runCycle(30, List.of()).records()).isEmpty();
        assertThat(Objects.requireNonNull(next.explain(2)).message()).isEqualTo("needs 4 GPUs, 0 are free");
        Decision over = next.runCycle(40, List.of(new Event.AttemptEnded(1, 1, Outcome.COMPLETED, Usage.NONE)));
        assertThat(over.records()).contains(new HistoryRecord.Started(2, 1, harness.exclusive(0, 1, 2, 3), false));
    }

    /** What would happen to a job that arrives now: computed on a copy, without effect on the original. */
    @Test
    void aCopyAnswersWhatIfWithoutTouchingTheOriginal() {
        harness.startAndRun(SchedulerHarness.job(1, 3), 0, 1, 2);
        SchedulerSnapshot before = harness.scheduler.snapshot();
        List<HistoryRecord> records = new ArrayList<>();
        for (int gpus = 1; gpus <= 5; gpus++) {
            Scheduler trial =
                    new Scheduler(FOUR, PolicySpec.parse("srtf").create(), (job, now) -> 100, GuardMode.FULL, true);
            trial.restore(harness.scheduler.snapshot());
            Job asked = SchedulerHarness.job(99, gpus);
            records.addAll(
                    trial.runCycle(1000, List.of(new Event.Submitted(asked))).records());
            boolean waits = gpus > 1 && gpus <= 4;
            assertThat(trial.explain(99) != null).as("%s GPUs", gpus).isEqualTo(waits);
        }

        assertThat(records.stream().filter(HistoryRecord.Started.class::isInstance))
                .hasSize(1);
        assertThat(records.stream().filter(HistoryRecord.JobRejected.class::isInstance))
                .hasSize(1);
        assertThat(harness.scheduler.snapshot()).isEqualTo(before);
        assertThat(harness.scheduler.job(99)).isNull();
        assertThat(harness.at(1).submit(SchedulerHarness.job(99, 1)).records()).hasSize(1);
    }

    @Test
    void anInconsistentHistoryIsRejectedWithTheRecordAndTheJob() {
        copy.replay(0, new HistoryRecord.Submitted(SchedulerHarness.job(1, 1)));

        assertThatThrownBy(() -> copy.replay(3, new HistoryRecord.Running(1, 1, 5)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the history does not fit together at 3 ms")
                .hasMessageContaining("Running[jobId=1, attempt=1")
                .hasMessageContaining("PENDING #0");
        assertThatThrownBy(() -> copy.replay(3, new HistoryRecord.Held(7)))
                .hasMessageContaining("there is no such live job");
        assertThatThrownBy(() -> copy.replay(3, new HistoryRecord.Submitted(SchedulerHarness.job(1, 1))))
                .hasMessageContaining("submits job 1 while it is live");
        assertThatThrownBy(() -> copy.replay(2, new HistoryRecord.Held(1))).hasMessageContaining("time went back");
    }

    @Test
    void aSnapshotOfALargerClusterIsRejected() {
        harness.startAndRun(SchedulerHarness.job(1, 1), 3);
        SchedulerSnapshot snapshot = harness.scheduler.snapshot();
        Topology two = Topology.builder().node(GpuCatalogue.byName("V100"), 2).build();

        assertThatThrownBy(() -> new SchedulerHarness(two).scheduler.restore(snapshot))
                .hasMessage("the history names gpu 2 (node0/2); this cluster has 2");
        SchedulerSnapshot ofUnknownCluster = new SchedulerSnapshot(
                snapshot.lastRecordMillis(),
                snapshot.jobs(),
                snapshot.nodesDown(),
                snapshot.gpusDown(),
                snapshot.drainedNodes(),
                snapshot.queueRules(),
                null);
        assertThatThrownBy(() -> new SchedulerHarness(two).scheduler.restore(ofUnknownCluster))
                .hasMessage("the history names gpu 3; this cluster has 2");
        assertThatThrownBy(() -> harness.scheduler.restore(snapshot)).hasMessageContaining("only a fresh scheduler");
    }
}
