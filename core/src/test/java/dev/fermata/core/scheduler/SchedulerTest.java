package dev.fermata.core.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Order;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.PreemptWay;
import dev.fermata.core.contract.ReasonCode;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Scheduling cycles by hand: what each event does to a job in each of its states. */
class SchedulerTest {
    private static final Topology FOUR =
            Topology.builder().node(GpuCatalogue.byName("V100"), 4).build();
    private static final Topology TWO_NODES = Topology.builder()
            .node(GpuCatalogue.byName("V100"), 2)
            .node(GpuCatalogue.byName("V100"), 2)
            .build();

    private static Job urgent(long id, int gpus, long declaredMillis) {
        return Job.builder(id, gpus).declaredMillis(declaredMillis).build();
    }

    private static List<Class<?>> recordTypes(Decision decision) {
        return decision.records().stream()
                .<Class<?>>map(HistoryRecord::getClass)
                .toList();
    }

    private static JobState state(SchedulerHarness harness, long id) {
        return harness.job(id).state();
    }

    @Test
    void aJobRunsFromSubmissionToItsEnd() {
        SchedulerHarness harness =
                new SchedulerHarness(FOUR, PolicySpec.parse("fifo").create());

        assertThat(recordTypes(harness.submit(SchedulerHarness.job(1, 4))))
                .containsExactly(HistoryRecord.Submitted.class, HistoryRecord.Started.class);
        assertThat(state(harness, 1)).isEqualTo(JobState.STARTING);
        harness.at(10).running(1);
        assertThat(state(harness, 1)).isEqualTo(JobState.RUNNING);
        Decision end = harness.at(60).end(1, Outcome.COMPLETED);

        assertThat(end.records())
                .containsExactly(
                        new HistoryRecord.AttemptEnded(1, 1, Outcome.COMPLETED, Usage.NONE, JobState.COMPLETED));
        assertThat(harness.scheduler.job(1)).isNull();
        assertThat(harness.scheduler.view().runningJobs()).isZero();
    }

    @Test
    void aJobThatCanNeverRunIsRejectedAtSubmission() {
        SchedulerHarness harness =
                new SchedulerHarness(FOUR, PolicySpec.parse("fifo").create());

        Decision decision = harness.submit(SchedulerHarness.job(1, 5));

        assertThat(decision.records()).singleElement().isInstanceOfSatisfying(HistoryRecord.JobRejected.class, f -> {
            assertThat(f.reason().code()).isEqualTo(ReasonCode.UNSATISFIABLE);
            assertThat(f.reason().neededGpus()).isEqualTo(5);
            assertThat(f.reason().availableGpus()).isEqualTo(4);
            assertThat(f.reason().message()).isEqualTo("needs 5 GPUs; this cluster can offer at most 4");
        });
        assertThat(harness.scheduler.jobs()).isEmpty();
    }

    @Test
    void anIdInUseIsRejectedAndFreeAgainAfterTheEnd() {
        SchedulerHarness harness =
                new SchedulerHarness(FOUR, PolicySpec.parse("fifo").create());
        harness.submit(SchedulerHarness.job(1, 1));

        assertThatThrownBy(() -> harness.submit(SchedulerHarness.job(1, 1)))
                .hasMessageContaining("job id (1) is in use");
        harness.end(1, Outcome.COMPLETED);
        assertThat(recordTypes(harness.submit(SchedulerHarness.job(1, 1)))).contains(HistoryRecord.Started.class);
    }

    @Test
    void timeNeverGoesBack() {
        SchedulerHarness harness = new SchedulerHarness(FOUR);
        harness.at(100).handle();

        assertThatThrownBy(() -> harness.at(99).handle()).hasMessageContaining("time went back from 100 to 99");
    }

    @Test
    void eventsOfAnEarlierAttemptChangeNothing() {
        SchedulerHarness harness =
                new SchedulerHarness(FOUR, PolicySpec.parse("fifo").create());
        harness.submit(SchedulerHarness.job(1, 4));
        harness.running(1);
        harness.end(1, Outcome.LOST); // and starts again at once
        assertThat(harness.attempt(1)).isEqualTo(2);

        Decision decision = harness.handle(
                new Event.Running(1, 1, Speed.UNIT),
                new Event.SpeedChanged(1, 1, 5),
                new Event.AttemptEnded(1, 1, Outcome.COMPLETED, Usage.NONE),
                new Event.AttemptEnded(1, 3, Outcome.COMPLETED, Usage.NONE),
                new Event.AttemptEnded(7, 1, Outcome.COMPLETED, Usage.NONE),
                new Event.CancelRequested(7));

        assertThat(decision.records()).isEmpty();
        assertThat(state(harness, 1)).isEqualTo(JobState.STARTING);
    }

    @Test
    void aPreemptionReservesGpusAndStartsTheBeneficiaryWhenTheVictimHasVacatedThem() {
        SchedulerHarness harness =
                new SchedulerHarness(FOUR, PolicySpec.parse("srtf").create());
        harness.submit(urgent(1, 4, 1000_000));
        harness.running(1);

        Decision asked = harness.at(1000).submit(urgent(2, 4, 5_000));
        assertThat(recordTypes(asked))
                .containsExactly(
                        HistoryRecord.Submitted.class, HistoryRecord.Preempting.class, HistoryRecord.Reserved.class);
        assertThat(asked.orders())
                .containsExactly(new Order.Preempt(1, 1, Job.DEFAULT_GRACE_MILLIS, PreemptWay.CHECKPOINT, 2));
        assertThat(state(harness, 2)).isEqualTo(JobState.PENDING);
        assertThat(harness.explain(2).code()).isEqualTo(ReasonCode.PREEMPTION_PENDING);

        Decision endedJob = harness.at(3000).end(1, Outcome.PREEMPTED);
        assertThat(recordTypes(endedJob))
                .containsExactly(HistoryRecord.AttemptEnded.class, HistoryRecord.Started.class);
        assertThat(state(harness, 1)).isEqualTo(JobState.PENDING);
        assertThat(state(harness, 2)).isEqualTo(JobState.STARTING);
    }

    @Test
    void aVictimThatFinishesWhilePreemptingHasCompleted() {
        SchedulerHarness harness =
                new SchedulerHarness(FOUR, PolicySpec.parse("srtf").create());
        harness.submit(urgent(1, 4, 1000_000));
        harness.running(1);
        harness.at(1000).submit(urgent(2, 4, 5_000));

        Decision endedJob = harness.at(3000).end(1, Outcome.COMPLETED);

        assertThat(recordTypes(endedJob))
                .containsExactly(HistoryRecord.AttemptEnded.class, HistoryRecord.Started.class);
        assertThat(harness.scheduler.job(1)).isNull();
    }

    @Test
    void aReservationIsReleasedWhenItsNodeGoesDown() {
        SchedulerHarness harness = new SchedulerHarness(TWO_NODES);
        harness.startAndRun(SchedulerHarness.job(1, 2), 0, 1);
        harness.submit(SchedulerHarness.job(2, 4));
        harness.apply(new Action.Preempt(2, harness.exclusive(0, 1, 2, 3), List.of(1L), 0, 0));

        Decision down = harness.handle(new Event.NodeDown(1));
        assertThat(down.records())
                .containsExactly(
                        new HistoryRecord.CapacityChanged(true, 1, false, 2), new HistoryRecord.ReservationReleased(2));
        assertThat(state(harness, 2)).isEqualTo(JobState.PENDING);

        assertThat(recordTypes(harness.end(1, Outcome.PREEMPTED))).containsExactly(HistoryRecord.AttemptEnded.class);
        assertThat(harness.handle(new Event.NodeUp(1)).records())
                .containsExactly(new HistoryRecord.CapacityChanged(true, 1, true, 4));
        assertThat(recordTypes(harness.apply(new Action.Start(2, harness.exclusive(0, 1, 2, 3)))))
                .containsExactly(HistoryRecord.Started.class);
    }

    @Test
    void aDrainedNodeKeepsItsJobsAndGetsNoOthers() {
        SchedulerHarness harness =
                new SchedulerHarness(TWO_NODES, PolicySpec.parse("fifo").create());
        harness.submit(SchedulerHarness.job(1, 2));
        harness.handle(new Event.NodeDrained(0), new Event.NodeDrained(1));
        harness.submit(SchedulerHarness.job(2, 1));

        assertThat(harness.job(1).state()).isEqualTo(JobState.STARTING);
        assertThat(harness.job(2).state()).isEqualTo(JobState.PENDING);
        harness.handle(new Event.NodeUndrained(0), new Event.NodeUndrained(1));
        assertThat(harness.job(2).state()).isEqualTo(JobState.STARTING);
    }

    @Test
    void aDrainedNodeIsUpButNotSchedulable() {
        SchedulerHarness harness = new SchedulerHarness(TWO_NODES);

        assertThat(harness.handle(new Event.NodeDrained(1)).records())
                .containsExactly(new HistoryRecord.DrainChanged(1, true));
        assertThat(harness.scheduler.view().gpusUp()).isEqualTo(4);
        assertThat(harness.scheduler.view().schedulableGpus(0)).isEqualTo(2);
        assertThat(harness.handle(new Event.NodeDrained(1)).records()).isEmpty();
        assertThat(harness.handle(new Event.NodeUndrained(1)).records())
                .containsExactly(new HistoryRecord.DrainChanged(1, false));
        assertThat(harness.scheduler.view().schedulableGpus(0)).isEqualTo(4);
    }

    @Test
    void aDrainedNodeThatFailsAndRecoversStaysDrained() {
        SchedulerHarness harness =
                new SchedulerHarness(TWO_NODES, PolicySpec.parse("fifo").create());
        harness.handle(new Event.NodeDrained(0), new Event.NodeDown(0));
        harness.submit(SchedulerHarness.job(1, 4));

        harness.handle(new Event.NodeUp(0));
        assertThat(harness.explain(1)).isEqualTo(new PendingReason.Resources(1, 4, 2));
        assertThat(recordTypes(harness.handle(new Event.NodeUndrained(0))))
                .containsExactly(HistoryRecord.DrainChanged.class, HistoryRecord.Started.class);
    }

    @Test
    void aNodeThatFailedStaysDownWhenItIsUndrained() {
        SchedulerHarness harness =
                new SchedulerHarness(TWO_NODES, PolicySpec.parse("fifo").create());
        harness.handle(new Event.NodeDrained(0), new Event.NodeDown(0));
        harness.submit(SchedulerHarness.job(1, 4));

        assertThat(recordTypes(harness.handle(new Event.NodeUndrained(0))))
                .containsExactly(HistoryRecord.DrainChanged.class);
        assertThat(harness.explain(1)).isEqualTo(new PendingReason.Resources(1, 4, 2));
        assertThat(recordTypes(harness.handle(new Event.NodeUp(0))))
                .containsExactly(HistoryRecord.CapacityChanged.class, HistoryRecord.Started.class);
    }

    /** Pausing a job on a drained node would make room for none. */
    @Test
    void noJobIsPreemptedOnADrainedNode() {
        SchedulerHarness harness =
                new SchedulerHarness(TWO_NODES, PolicySpec.parse("srtf").create());
        for (long id = 1; id <= 2; id++) {
            harness.submit(SchedulerHarness.job(id, 2));
            harness.running(id);
        }
        harness.handle(new Event.NodeDrained(0));
        harness.at(1000).submit(Job.builder(3, 2).priority(9).build());

        assertThat(harness.job(1).state()).isEqualTo(JobState.RUNNING);
        assertThat(harness.job(2).state()).isEqualTo(JobState.PREEMPTING);
    }

    @Test
    void aReservationIsReleasedWhenItsNodeIsDrained() {
        SchedulerHarness harness = new SchedulerHarness(TWO_NODES);
        harness.startAndRun(SchedulerHarness.job(1, 2), 0, 1);
        harness.submit(SchedulerHarness.job(2, 4));
        harness.apply(new Action.Preempt(2, harness.exclusive(0, 1, 2, 3), List.of(1L), 0, 0));

        assertThat(harness.handle(new Event.NodeDrained(1)).records())
                .containsExactly(new HistoryRecord.DrainChanged(1, true), new HistoryRecord.ReservationReleased(2));
        harness.end(1, Outcome.PREEMPTED);
        assertThat(harness.apply(new Action.Start(2, harness.exclusive(0, 1, 2, 3)))
                        .records())
                .hasOnlyElementsOfType(HistoryRecord.ActionRejected.class);
    }

    @Test
    void aGpuIsUpAgainWhenAllItsFaultsAreCleared() {
        SchedulerHarness harness =
                new SchedulerHarness(TWO_NODES, PolicySpec.parse("fifo").create());
        harness.handle(new Event.NodeDown(0), new Event.GpuDown(1));
        harness.submit(SchedulerHarness.job(1, 4));

        assertThat(recordTypes(harness.handle(new Event.NodeUp(0))))
                .containsExactly(HistoryRecord.CapacityChanged.class);
        assertThat(harness.explain(1)).isEqualTo(new PendingReason.Resources(1, 4, 3));
        assertThat(recordTypes(harness.handle(new Event.GpuUp(1))))
                .containsExactly(HistoryRecord.CapacityChanged.class, HistoryRecord.Started.class);
    }

    @Test
    void aJobThatRanOutOfMemoryMovesToTheTailOfTheQueue() {
        SchedulerHarness harness =
                new SchedulerHarness(FOUR, PolicySpec.parse("fifo").create());
        harness.submit(SchedulerHarness.job(1, 4));
        harness.at(1).submit(SchedulerHarness.job(2, 4));
        harness.at(2).submit(SchedulerHarness.job(3, 4));

        Decision decision = harness.at(5).end(1, Outcome.OOM);
        assertThat(decision.orders()).extracting(Order::jobId).containsExactly(2L);
        assertThat(harness.at(6).end(2, Outcome.LOST).orders())
                .extracting(Order::jobId)
                .containsExactly(2L); // lost through no fault of its own: keeps its place
        assertThat(harness.at(7).end(2, Outcome.COMPLETED).orders())
                .extracting(Order::jobId)
                .containsExactly(3L);
        assertThat(harness.at(8).end(3, Outcome.COMPLETED).orders())
                .extracting(Order::jobId)
                .containsExactly(1L);
    }

    @Test
    void aJobThatRunsOutOfMemoryTooOftenEnds() {
        SchedulerHarness harness =
                new SchedulerHarness(FOUR, PolicySpec.parse("fifo").create());
        harness.submit(SchedulerHarness.job(1, 1));
        for (int i = 1; i <= 20; i++) {
            harness.at(i).end(1, Outcome.OOM);
            assertThat(state(harness, 1)).isEqualTo(JobState.STARTING);
        }

        Decision last = harness.at(21).end(1, Outcome.OOM);

        assertThat(last.records())
                .containsExactly(new HistoryRecord.AttemptEnded(1, 21, Outcome.OOM, Usage.NONE, JobState.OOM));
        assertThat(harness.scheduler.jobs()).isEmpty();
    }

    @Test
    void aFailedJobIsNotRetried() {
        SchedulerHarness harness =
                new SchedulerHarness(FOUR, PolicySpec.parse("fifo").create());
        harness.submit(SchedulerHarness.job(1, 1));

        assertThat(harness.end(1, Outcome.FAILED).records())
                .containsExactly(new HistoryRecord.AttemptEnded(1, 1, Outcome.FAILED, Usage.NONE, JobState.FAILED));
    }

    @Test
    void cancellingAPendingJobEndsIt() {
        SchedulerHarness harness = new SchedulerHarness(FOUR);
        harness.submit(SchedulerHarness.job(1, 1));

        assertThat(harness.handle(new Event.CancelRequested(1)).records())
                .containsExactly(new HistoryRecord.JobEnded(1, JobState.CANCELLED));
        assertThat(harness.scheduler.jobs()).isEmpty();
    }

    @Test
    void cancellingAJobWithAReservationReleasesItsGpus() {
        SchedulerHarness harness = new SchedulerHarness(FOUR);
        harness.startAndRun(SchedulerHarness.job(1, 4), 0, 1, 2, 3);
        harness.submit(SchedulerHarness.job(2, 2));
        harness.apply(new Action.Preempt(2, harness.exclusive(0, 1), List.of(1L), 0, 0));

        assertThat(recordTypes(harness.handle(new Event.CancelRequested(2))))
                .containsExactly(HistoryRecord.JobEnded.class, HistoryRecord.ReservationReleased.class);
        harness.end(1, Outcome.PREEMPTED);
        assertThat(recordTypes(harness.apply(new Action.Start(1, harness.exclusive(0, 1, 2, 3)))))
                .containsExactly(HistoryRecord.Started.class);
    }

    @Test
    void cancellingAnAttemptKillsItOnceWhateverItDoes() {
        for (String stage : List.of("loading", "running", "pausing")) {
            SchedulerHarness harness = new SchedulerHarness(FOUR);
            harness.submit(SchedulerHarness.job(1, 2), SchedulerHarness.job(2, 4));
            harness.apply(new Action.Start(1, harness.exclusive(0, 1)));
            if (!stage.equals("loading")) {
                harness.running(1);
            }
            if (stage.equals("pausing")) {
                harness.apply(new Action.Preempt(2, harness.exclusive(0, 1, 2, 3), List.of(1L), 0, 0));
            }

            assertThat(harness.handle(new Event.CancelRequested(1)).orders())
                    .as(stage)
                    .containsExactly(new Order.Kill(1, 1));
            assertThat(harness.handle(new Event.CancelRequested(1)).orders())
                    .as(stage)
                    .isEmpty();
            Decision endedJob = harness.end(1, stage.equals("pausing") ? Outcome.PREEMPTED : Outcome.CANCELLED);
            assertThat(((HistoryRecord.AttemptEnded) endedJob.records().get(0)).next())
                    .as(stage)
                    .isEqualTo(JobState.CANCELLED);
            assertThat(harness.scheduler.job(1)).as(stage).isNull();
        }
    }

    @Test
    void aJobThatCompletesBeforeItsCancellationHasCompleted() {
        SchedulerHarness harness = new SchedulerHarness(FOUR);
        harness.startAndRun(SchedulerHarness.job(1, 2), 0, 1);
        harness.handle(new Event.CancelRequested(1));

        Decision endedJob = harness.end(1, Outcome.COMPLETED);

        assertThat(((HistoryRecord.AttemptEnded) endedJob.records().get(0)).next())
                .isEqualTo(JobState.COMPLETED);
    }

    @Test
    void aMoveReservesTheNewPlaceUntilTheOldOneIsVacated() {
        SchedulerHarness harness = new SchedulerHarness(TWO_NODES);
        harness.startAndRun(SchedulerHarness.job(1, 2), 1, 2);

        assertThat(recordTypes(harness.apply(new Action.Move(1, harness.exclusive(0, 3)))))
                .containsExactly(HistoryRecord.Preempting.class, HistoryRecord.Reserved.class);
        Decision endedJob = harness.end(1, Outcome.PREEMPTED);
        assertThat(endedJob.records()).last().isInstanceOfSatisfying(HistoryRecord.Started.class, started -> {
            assertThat(started.allocation()).isEqualTo(harness.exclusive(0, 3));
            assertThat(started.attempt()).isEqualTo(2);
        });
    }

    @Test
    void aReservationWaitsForTheSlowestVictim() {
        SchedulerHarness harness = new SchedulerHarness(FOUR);
        harness.startAndRun(SchedulerHarness.job(1, 2), 0, 1);
        harness.startAndRun(SchedulerHarness.job(2, 2), 2, 3);
        harness.submit(SchedulerHarness.job(3, 3));
        harness.apply(new Action.Preempt(3, harness.exclusive(0, 1, 2), List.of(1L, 2L), 0, 0));

        assertThat(recordTypes(harness.end(2, Outcome.PREEMPTED))).containsExactly(HistoryRecord.AttemptEnded.class);
        assertThat(harness.explain(3).message())
                .isEqualTo("1 of 3 GPUs free; the rest will be vacated by job 1 before 120 s");
        assertThat(recordTypes(harness.end(1, Outcome.PREEMPTED)))
                .containsExactly(HistoryRecord.AttemptEnded.class, HistoryRecord.Started.class);
    }

    @Test
    void anAttemptsServiceIsCountedWhileItRunsAndNotWhileItLoads() {
        SchedulerHarness harness = new SchedulerHarness(FOUR);
        harness.submit(SchedulerHarness.job(1, 2));
        harness.apply(new Action.Start(1, harness.exclusive(0, 1)));
        harness.at(1000).running(1);
        harness.at(5000).handle(new Event.SpeedChanged(1, 1, Speed.UNIT / 2));
        harness.at(9000).handle();

        assertThat(harness.job(1).attainedMillis(9000)).isEqualTo(8000);
        assertThat(harness.job(1).attainedGpuMillis(9000)).isEqualTo(16_000);
        assertThat(harness.job(1).doneWorkMillis(9000)).isEqualTo(6000);
        harness.handle(new Event.AttemptEnded(1, 1, Outcome.PREEMPTED, new Usage(1000, 8000, 0, 0, 0, 6000)));
        assertThat(harness.job(1).savedWorkMillis()).isEqualTo(6000);
        assertThat(harness.job(1).attainedMillis(20_000)).isEqualTo(8000);
        assertThat(harness.job(1).resumed()).isTrue();
    }

    @Test
    void beneficiaryWaitsForRamAsItWaitsForGpus() {
        Topology topology = Topology.builder()
                .node("n", GpuCatalogue.byName("V100"), 2, 1000, 1000)
                .build();
        SchedulerHarness harness = new SchedulerHarness(topology);
        Demand demanding = new Demand(1, 1, 0, 1000, List.of(), 1000, 0);
        harness.startAndRun(Job.builder(1, 1).demand(demanding).build(), 0);
        harness.submit(Job.builder(2, 1).demand(demanding).build());

        assertThat(recordTypes(harness.apply(new Action.Preempt(2, harness.exclusive(1), List.of(1L), 0, 0))))
                .containsExactly(HistoryRecord.Preempting.class, HistoryRecord.Reserved.class);
        assertThat(recordTypes(harness.end(1, Outcome.PREEMPTED)))
                .containsExactly(HistoryRecord.AttemptEnded.class, HistoryRecord.Started.class);
    }
}
