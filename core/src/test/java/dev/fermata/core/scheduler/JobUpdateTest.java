package dev.fermata.core.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A live job may be updated in all but its demand, and is ranked again then; some may not be preempted yet. */
class JobUpdateTest {
    private static final Topology TWO =
            Topology.builder().node(GpuCatalogue.byName("V100"), 2).build();

    private static Event withHigherPriority(long id, int priority) {
        return new Event.JobUpdated(
                SchedulerHarness.job(id, 2).toBuilder(id).priority(priority).build());
    }

    @Test
    void theDemandOfAJobCannotChange() {
        SchedulerHarness harness = new SchedulerHarness(TWO);
        harness.submit(SchedulerHarness.job(1, 2));

        Decision decision = harness.handle(
                new Event.JobUpdated(SchedulerHarness.job(1, 1)), new Event.JobUpdated(SchedulerHarness.job(7, 1)));

        assertThat(decision.records())
                .containsExactly(new HistoryRecord.ActionRejected(
                        1, "JobUpdated", "the demand of a job stays as it was submitted"));
        assertThat(harness.job(1).job().demand().maxGpus()).isEqualTo(2);
        assertThat(harness.handle(new Event.JobUpdated(SchedulerHarness.job(1, 2)))
                        .records())
                .as("an equal description changes nothing")
                .isEmpty();
    }

    @Test
    void gpuMemoryMayBecomeKnownOnlyWhileTheJobWaits() {
        SchedulerHarness harness = new SchedulerHarness(TWO);
        Job unknown = SchedulerHarness.job(1, 1);
        Job known = unknown.withDemand(unknown.demand().withGpuMemory(10_000));
        Job large = unknown.withDemand(unknown.demand().withGpuMemory(1_000_000));
        harness.submit(unknown);

        assertThat(harness.handle(new Event.JobUpdated(large)).records())
                .containsExactly(new HistoryRecord.ActionRejected(
                        1, "JobUpdated", "no GPUs of this cluster have that much memory"));
        assertThat(harness.handle(new Event.JobUpdated(known)).records())
                .containsExactly(new HistoryRecord.JobUpdated(known));
        harness.apply(new Action.Start(1, Allocation.of(TWO, new int[] {0}, true)));

        assertThat(harness.handle(new Event.JobUpdated(unknown)).records())
                .containsExactly(new HistoryRecord.ActionRejected(
                        1, "JobUpdated", "the GPU memory of a job stays while it holds GPUs or has a reservation"));
        assertThat(harness.job(1).job().demand().gpuMemoryMib()).isEqualTo(10_000);
    }

    @Test
    void gpuMemoryCannotChangeWhileTheJobHasAReservation() {
        SchedulerHarness harness = new SchedulerHarness(TWO);
        harness.startAndRun(SchedulerHarness.job(1, 1), 0);
        harness.submit(SchedulerHarness.job(2, 1));
        harness.apply(new Action.Preempt(2, harness.exclusive(0), List.of(1L), 0, 0));

        Job known = SchedulerHarness.job(2, 1).withDemand(Demand.gpus(1).withGpuMemory(10_000));
        assertThat(harness.handle(new Event.JobUpdated(known)).records())
                .first()
                .isInstanceOf(HistoryRecord.ActionRejected.class);
    }

    /** A job that waits behind unknown jobs may share their GPUs once both are profiled: the update alone must wake it. */
    @Test
    void aWaitingJobWhoseMemoryBecomesKnownMayShareAtOnce() {
        SchedulerHarness harness = new SchedulerHarness(
                Topology.builder().node(GpuCatalogue.byName("V100"), 1).build(),
                PolicySpec.parse("fermata:pays=0").create());
        Profile idle = new Profile("idle", 100, 0.3, 0, 1, 4_000, Map.of());
        Job first = SchedulerHarness.job(1, 1).toBuilder(1)
                .demand(Demand.gpus(1).withGpuMemory(4_000))
                .profile(idle)
                .build();
        harness.submit(first);
        harness.running(1);
        harness.at(1).submit(SchedulerHarness.job(2, 1));
        assertThat(harness.job(2).state()).isEqualTo(JobState.PENDING);

        Job known = SchedulerHarness.job(2, 1).toBuilder(2)
                .demand(Demand.gpus(1).withGpuMemory(4_000))
                .profile(idle)
                .build();
        harness.at(2).handle(new Event.JobUpdated(known));

        assertThat(harness.job(2).state()).isEqualTo(JobState.STARTING);
        assertThat(harness.job(2).allocation()).isEqualTo(harness.job(1).allocation());
    }

    @Test
    void theOutOfMemoryLimitIsPerJob() {
        SchedulerHarness harness = new SchedulerHarness(TWO);
        harness.startAndRun(
                SchedulerHarness.job(1, 1).toBuilder(1).maxOutOfMemory(1).build(), 0);
        harness.at(1).end(1, dev.fermata.core.contract.Outcome.OOM);
        assertThat(harness.job(1).state()).isEqualTo(JobState.PENDING);
        harness.apply(new Action.Start(1, harness.exclusive(0)));
        Decision last = harness.at(2).end(1, dev.fermata.core.contract.Outcome.OOM);

        assertThat(last.records())
                .anyMatch(historyRecord ->
                        historyRecord instanceof HistoryRecord.AttemptEnded left && left.next() == JobState.OOM);
    }

    @Test
    void anOutOfMemoryWithoutRetryEndsTheJobAndLeavesItsLimitAlone() {
        SchedulerHarness harness = new SchedulerHarness(TWO);
        harness.startAndRun(SchedulerHarness.job(1, 1), 0);
        Event.AttemptEnded ended = new Event.AttemptEnded(
                1, 1, dev.fermata.core.contract.Outcome.OOM, dev.fermata.core.contract.Usage.NONE);
        Decision last = harness.at(1).handle(ended.withoutRetry());

        assertThat(last.records())
                .anyMatch(historyRecord ->
                        historyRecord instanceof HistoryRecord.AttemptEnded left && left.next() == JobState.OOM)
                .noneMatch(HistoryRecord.JobUpdated.class::isInstance);
        assertThat(harness.handle(ended.withoutRetry()).records())
                .as("late, and dropped")
                .isEmpty();
    }

    /** It did not fit before, and nothing else happens: its new rank alone is the reason to decide again. */
    @ParameterizedTest
    @ValueSource(strings = {"srtf", "las", "xion", "fermata", "srtf:place=consolidate"})
    void aWaitingJobWithRaisedPriorityIsServedAtOnce(String policy) {
        SchedulerHarness harness =
                new SchedulerHarness(TWO, PolicySpec.parse(policy).create());
        harness.submit(
                SchedulerHarness.job(1, 2).toBuilder(1).declaredMillis(50_000).build());
        harness.running(1);
        Job longer =
                SchedulerHarness.job(2, 2).toBuilder(2).declaredMillis(90_000).build();
        assertThat(harness.at(1).submit(longer).orders()).isEmpty();

        // for a job that still has 50 s, a cost-aware policy must find a free preemption worth it
        Job raised = longer.toBuilder(2).priority(5).declaredMillis(100).build();
        Decision decision = harness.at(2).handle(new Event.JobUpdated(raised));

        assertThat(decision.records()).contains(new HistoryRecord.JobUpdated(raised));
        assertThat(harness.job(1).state()).isEqualTo(JobState.PREEMPTING);
        assertThat(harness.job(2).hasReservation()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"fifo", "fifo-backfill", "sjf", "xonar", "jps", "fitgpp", "lrtp"})
    void aJobWithRaisedPriorityStartsFirst(String policy) {
        SchedulerHarness harness =
                new SchedulerHarness(TWO, PolicySpec.parse(policy).create());
        harness.submit(SchedulerHarness.job(1, 2));
        harness.running(1);
        harness.at(1).submit(SchedulerHarness.job(2, 2));
        harness.at(2).submit(SchedulerHarness.job(3, 2));
        harness.at(3).handle(withHigherPriority(3, 1));
        harness.at(4).end(1, dev.fermata.core.contract.Outcome.COMPLETED);

        assertThat(harness.job(3).state()).isEqualTo(JobState.STARTING);
        assertThat(harness.job(2).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void aTrialThatBecomesABatchJobIsInOneQueueOnly() {
        SchedulerHarness harness = new SchedulerHarness(
                Topology.builder().node(GpuCatalogue.byName("V100"), 4).build(),
                PolicySpec.parse("fitgpp").create());
        Job trial =
                SchedulerHarness.job(2, 2).toBuilder(2).jobClass(JobClass.TRIAL).build();
        harness.submit(SchedulerHarness.job(1, 4).toBuilder(1).maxPreemptions(0).build());
        harness.running(1);
        harness.at(1).submit(trial);
        harness.at(2)
                .handle(new Event.JobUpdated(
                        trial.toBuilder(2).jobClass(JobClass.BATCH).build()));
        Decision freed = harness.at(3).end(1, dev.fermata.core.contract.Outcome.COMPLETED);

        assertThat(freed.records().stream().filter(HistoryRecord.ActionRejected.class::isInstance))
                .isEmpty();
        assertThat(harness.job(2).state()).isEqualTo(JobState.STARTING);
    }

    @Test
    void theGuardRejectsVictimsThatAreNotYetPreemptible() {
        SchedulerHarness harness = new SchedulerHarness(TWO);
        harness.startAndRun(Job.builder(1, 1).minRuntimeMillis(100).build(), 0);
        harness.at(99).submit(SchedulerHarness.job(2, 1));

        Action preempt = new Action.Preempt(2, harness.exclusive(0), List.of(1L), 0, 0);
        assertThat(harness.apply(preempt).records())
                .containsExactly(new HistoryRecord.ActionRejected(
                        2, preempt.toString(), "victim 1 has not run for as long as it may at least"));
        Action move = new Action.Move(1, harness.exclusive(1));
        assertThat(harness.apply(move).records())
                .containsExactly(new HistoryRecord.ActionRejected(
                        1, move.toString(), "it has not run for as long as it may at least"));
        assertThat(harness.at(100).apply(preempt).records()).hasSize(2);
    }

    /** Nothing happens but time: the policy asks to be woken when the first possible victim has settled. */
    @ParameterizedTest
    @ValueSource(strings = {"srtf", "srtf:place=consolidate", "las", "fermata", "fitgpp", "lrtp", "rand"})
    void aWaitingJobIsServedWhenTheVictimBecomesPreemptible(String policy) {
        SchedulerHarness harness =
                new SchedulerHarness(TWO, PolicySpec.parse(policy).create());
        harness.submit(Job.builder(1, 2)
                .declaredMillis(500_000)
                .minRuntimeMillis(30_000)
                .build());
        harness.at(10).running(1);
        Job urgent = Job.builder(2, 2)
                .declaredMillis(1_000)
                .priority(1)
                .jobClass(JobClass.TRIAL)
                .build();
        Decision early = harness.at(20).submit(urgent);

        assertThat(early.orders()).isEmpty();
        assertThat(early.wakeAtMillis()).isEqualTo(30_010);
        assertThat(harness.explain(2)).isNotNull();
        harness.at(30_010).handle();
        assertThat(harness.job(1).state()).isEqualTo(JobState.PREEMPTING);
        assertThat(harness.job(2).hasReservation()).isTrue();
    }
}
