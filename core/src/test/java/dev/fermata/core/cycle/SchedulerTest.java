package dev.fermata.core.cycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Command;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Pace;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The ring turned by hand: what each piece of news does to a job in each of its states. */
class SchedulerTest {
    private static final Topology FOUR =
            Topology.builder().node(GpuCatalogue.named("V100"), 4).build();
    private static final Topology TWO_NODES = Topology.builder()
            .node(GpuCatalogue.named("V100"), 2)
            .node(GpuCatalogue.named("V100"), 2)
            .build();

    private static Job urgent(long id, int gpus, long declaredMillis) {
        return Job.builder(id, gpus).declaredMillis(declaredMillis).build();
    }

    private static List<Class<?>> kinds(Decision decision) {
        return decision.facts().stream().<Class<?>>map(Fact::getClass).toList();
    }

    private static JobState state(Bench bench, long id) {
        return bench.job(id).state();
    }

    @Test
    void aJobLivesFromSubmissionToItsEnd() {
        Bench bench = new Bench(FOUR, PolicySpec.parse("fifo").create());

        assertThat(kinds(bench.submit(Bench.job(1, 4)))).containsExactly(Fact.Submitted.class, Fact.Started.class);
        assertThat(state(bench, 1)).isEqualTo(JobState.STARTING);
        bench.at(10).running(1);
        assertThat(state(bench, 1)).isEqualTo(JobState.RUNNING);
        Decision end = bench.at(60).left(1, Outcome.COMPLETED);

        assertThat(end.facts())
                .containsExactly(new Fact.Left(1, 1, Outcome.COMPLETED, Usage.NOTHING, JobState.COMPLETED));
        assertThat(bench.scheduler.job(1)).isNull();
        assertThat(bench.scheduler.view().runningJobs()).isZero();
    }

    @Test
    void whatCanNeverRunIsRefusedAtTheDoor() {
        Bench bench = new Bench(FOUR, PolicySpec.parse("fifo").create());

        Decision decision = bench.submit(Bench.job(1, 5));

        assertThat(decision.facts()).singleElement().isInstanceOfSatisfying(Fact.Refused.class, f -> {
            assertThat(f.verdict().reason()).isEqualTo(Reason.UNSATISFIABLE);
            assertThat(f.verdict().needed()).isEqualTo(5);
            assertThat(f.verdict().available()).isEqualTo(4);
            assertThat(f.verdict().message()).isEqualTo("needs 5 GPUs; this cluster can offer at most 4");
        });
        assertThat(bench.scheduler.jobs()).isEmpty();
    }

    @Test
    void anIdInUseIsRefusedAndFreeAgainAfterTheEnd() {
        Bench bench = new Bench(FOUR, PolicySpec.parse("fifo").create());
        bench.submit(Bench.job(1, 1));

        assertThatThrownBy(() -> bench.submit(Bench.job(1, 1))).hasMessageContaining("job id (1) is in use");
        bench.left(1, Outcome.COMPLETED);
        assertThat(kinds(bench.submit(Bench.job(1, 1)))).contains(Fact.Started.class);
    }

    @Test
    void timeNeverGoesBack() {
        Bench bench = new Bench(FOUR);
        bench.at(100).hear();

        assertThatThrownBy(() -> bench.at(99).hear()).hasMessageContaining("time went back from 100 to 99");
    }

    @Test
    void newsOfAnEarlierAttemptTouchesNothing() {
        Bench bench = new Bench(FOUR, PolicySpec.parse("fifo").create());
        bench.submit(Bench.job(1, 4));
        bench.running(1);
        bench.left(1, Outcome.LOST); // and starts anew at once
        assertThat(bench.attempt(1)).isEqualTo(2);

        Decision decision = bench.hear(
                new Event.Running(1, 1, Pace.UNIT),
                new Event.PaceChanged(1, 1, 5),
                new Event.Left(1, 1, Outcome.COMPLETED, Usage.NOTHING),
                new Event.Left(1, 3, Outcome.COMPLETED, Usage.NOTHING),
                new Event.Left(7, 1, Outcome.COMPLETED, Usage.NOTHING),
                new Event.CancelAsked(7));

        assertThat(decision.facts()).isEmpty();
        assertThat(state(bench, 1)).isEqualTo(JobState.STARTING);
    }

    @Test
    void aPreemptionIsOnePromiseKeptWhenTheVictimHasLeft() {
        Bench bench = new Bench(FOUR, PolicySpec.parse("srtf").create());
        bench.submit(urgent(1, 4, 1000_000));
        bench.running(1);

        Decision asked = bench.at(1000).submit(urgent(2, 4, 5_000));
        assertThat(kinds(asked)).containsExactly(Fact.Submitted.class, Fact.Pausing.class, Fact.Promised.class);
        assertThat(asked.commands()).containsExactly(new Command.Pause(1, 1, Job.DEFAULT_GRACE_MILLIS));
        assertThat(state(bench, 2)).isEqualTo(JobState.PENDING);
        assertThat(bench.why(2).reason()).isEqualTo(Reason.PREEMPTION_PENDING);

        Decision gone = bench.at(3000).left(1, Outcome.PAUSED);
        assertThat(kinds(gone)).containsExactly(Fact.Left.class, Fact.Started.class);
        assertThat(state(bench, 1)).isEqualTo(JobState.PENDING);
        assertThat(state(bench, 2)).isEqualTo(JobState.STARTING);
    }

    @Test
    void aVictimThatFinishesWhilePausingIsDone() {
        Bench bench = new Bench(FOUR, PolicySpec.parse("srtf").create());
        bench.submit(urgent(1, 4, 1000_000));
        bench.running(1);
        bench.at(1000).submit(urgent(2, 4, 5_000));

        Decision gone = bench.at(3000).left(1, Outcome.COMPLETED);

        assertThat(kinds(gone)).containsExactly(Fact.Left.class, Fact.Started.class);
        assertThat(bench.scheduler.job(1)).isNull();
    }

    @Test
    void aPromiseIsBrokenWhenItsNodeDies() {
        Bench bench = new Bench(TWO_NODES);
        bench.runs(Bench.job(1, 2), 0, 1);
        bench.submit(Bench.job(2, 4));
        bench.act(new Action.Preempt(2, bench.on(0, 1, 2, 3), List.of(1L), 0, 0));

        Decision down = bench.hear(new Event.NodeDown(1));
        assertThat(down.facts()).containsExactly(new Fact.Capacity(true, 1, false, 2), new Fact.Unpromised(2));
        assertThat(state(bench, 2)).isEqualTo(JobState.PENDING);

        assertThat(kinds(bench.left(1, Outcome.PAUSED))).containsExactly(Fact.Left.class);
        assertThat(bench.hear(new Event.NodeUp(1)).facts()).containsExactly(new Fact.Capacity(true, 1, true, 4));
        assertThat(kinds(bench.act(new Action.Start(2, bench.on(0, 1, 2, 3))))).containsExactly(Fact.Started.class);
    }

    @Test
    void aGpuIsUpAgainWhenAllItsFaultsHaveHealed() {
        Bench bench = new Bench(TWO_NODES, PolicySpec.parse("fifo").create());
        bench.hear(new Event.NodeDown(0), new Event.GpuDown(1));
        bench.submit(Bench.job(1, 4));

        assertThat(kinds(bench.hear(new Event.NodeUp(0)))).containsExactly(Fact.Capacity.class);
        assertThat(bench.why(1).available()).isEqualTo(3);
        assertThat(kinds(bench.hear(new Event.GpuUp(1)))).containsExactly(Fact.Capacity.class, Fact.Started.class);
    }

    @Test
    void whoRanOutOfMemoryGoesToTheTail() {
        Bench bench = new Bench(FOUR, PolicySpec.parse("fifo").create());
        bench.submit(Bench.job(1, 4));
        bench.at(1).submit(Bench.job(2, 4));
        bench.at(2).submit(Bench.job(3, 4));

        Decision decision = bench.at(5).left(1, Outcome.OOM);
        assertThat(decision.commands()).extracting(Command::jobId).containsExactly(2L);
        assertThat(bench.at(6).left(2, Outcome.LOST).commands())
                .extracting(Command::jobId)
                .containsExactly(2L); // lost through no fault of its own: keeps its place
        assertThat(bench.at(7).left(2, Outcome.COMPLETED).commands())
                .extracting(Command::jobId)
                .containsExactly(3L);
        assertThat(bench.at(8).left(3, Outcome.COMPLETED).commands())
                .extracting(Command::jobId)
                .containsExactly(1L);
    }

    @Test
    void whoRunsOutOfMemoryTooOftenIsGivenUp() {
        Bench bench = new Bench(FOUR, PolicySpec.parse("fifo").create());
        bench.submit(Bench.job(1, 1));
        for (int i = 1; i <= 20; i++) {
            bench.at(i).left(1, Outcome.OOM);
            assertThat(state(bench, 1)).isEqualTo(JobState.STARTING);
        }

        Decision last = bench.at(21).left(1, Outcome.OOM);

        assertThat(last.facts()).containsExactly(new Fact.Left(1, 21, Outcome.OOM, Usage.NOTHING, JobState.OOM));
        assertThat(bench.scheduler.jobs()).isEmpty();
    }

    @Test
    void aFailedJobIsNotTriedAgain() {
        Bench bench = new Bench(FOUR, PolicySpec.parse("fifo").create());
        bench.submit(Bench.job(1, 1));

        assertThat(bench.left(1, Outcome.FAILED).facts())
                .containsExactly(new Fact.Left(1, 1, Outcome.FAILED, Usage.NOTHING, JobState.FAILED));
    }

    @Test
    void cancellingAPendingJobEndsIt() {
        Bench bench = new Bench(FOUR);
        bench.submit(Bench.job(1, 1));

        assertThat(bench.hear(new Event.CancelAsked(1)).facts()).containsExactly(new Fact.Ended(1, JobState.CANCELLED));
        assertThat(bench.scheduler.jobs()).isEmpty();
    }

    @Test
    void cancellingAPromisedJobGivesItsGpusBack() {
        Bench bench = new Bench(FOUR);
        bench.runs(Bench.job(1, 4), 0, 1, 2, 3);
        bench.submit(Bench.job(2, 2));
        bench.act(new Action.Preempt(2, bench.on(0, 1), List.of(1L), 0, 0));

        assertThat(kinds(bench.hear(new Event.CancelAsked(2))))
                .containsExactly(Fact.Ended.class, Fact.Unpromised.class);
        bench.left(1, Outcome.PAUSED);
        assertThat(kinds(bench.act(new Action.Start(1, bench.on(0, 1, 2, 3))))).containsExactly(Fact.Started.class);
    }

    @Test
    void cancellingAnAttemptKillsItOnceWhateverItDoes() {
        for (String stage : List.of("loading", "running", "pausing")) {
            Bench bench = new Bench(FOUR);
            bench.submit(Bench.job(1, 2), Bench.job(2, 4));
            bench.act(new Action.Start(1, bench.on(0, 1)));
            if (!stage.equals("loading")) {
                bench.running(1);
            }
            if (stage.equals("pausing")) {
                bench.act(new Action.Preempt(2, bench.on(0, 1, 2, 3), List.of(1L), 0, 0));
            }

            assertThat(bench.hear(new Event.CancelAsked(1)).commands())
                    .as(stage)
                    .containsExactly(new Command.Kill(1, 1));
            assertThat(bench.hear(new Event.CancelAsked(1)).commands())
                    .as(stage)
                    .isEmpty();
            Decision gone = bench.left(1, stage.equals("pausing") ? Outcome.PAUSED : Outcome.CANCELLED);
            assertThat(((Fact.Left) gone.facts().get(0)).next()).as(stage).isEqualTo(JobState.CANCELLED);
            assertThat(bench.scheduler.job(1)).as(stage).isNull();
        }
    }

    @Test
    void aJobThatCompletesBeforeItsCancellationHasCompleted() {
        Bench bench = new Bench(FOUR);
        bench.runs(Bench.job(1, 2), 0, 1);
        bench.hear(new Event.CancelAsked(1));

        Decision gone = bench.left(1, Outcome.COMPLETED);

        assertThat(((Fact.Left) gone.facts().get(0)).next()).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void aMoveKeepsTheNewPlaceUntilTheOldOneIsLeft() {
        Bench bench = new Bench(TWO_NODES);
        bench.runs(Bench.job(1, 2), 1, 2);

        assertThat(kinds(bench.act(new Action.Move(1, bench.on(0, 3)))))
                .containsExactly(Fact.Pausing.class, Fact.Promised.class);
        Decision gone = bench.left(1, Outcome.PAUSED);
        assertThat(gone.facts()).last().isInstanceOfSatisfying(Fact.Started.class, started -> {
            assertThat(started.allocation()).isEqualTo(bench.on(0, 3));
            assertThat(started.attempt()).isEqualTo(2);
        });
    }

    @Test
    void aPromiseWaitsForTheSlowestVictim() {
        Bench bench = new Bench(FOUR);
        bench.runs(Bench.job(1, 2), 0, 1);
        bench.runs(Bench.job(2, 2), 2, 3);
        bench.submit(Bench.job(3, 3));
        bench.act(new Action.Preempt(3, bench.on(0, 1, 2), List.of(1L, 2L), 0, 0));

        assertThat(kinds(bench.left(2, Outcome.PAUSED))).containsExactly(Fact.Left.class);
        assertThat(bench.why(3).message())
                .isEqualTo("1 of its 3 GPUs are free, the rest are being vacated, by job 1 before 120 s");
        assertThat(kinds(bench.left(1, Outcome.PAUSED))).containsExactly(Fact.Left.class, Fact.Started.class);
    }

    @Test
    void anAttemptsServiceIsCountedWhileItRunsAndNotWhileItLoads() {
        Bench bench = new Bench(FOUR);
        bench.submit(Bench.job(1, 2));
        bench.act(new Action.Start(1, bench.on(0, 1)));
        bench.at(1000).running(1);
        bench.at(5000).hear(new Event.PaceChanged(1, 1, Pace.UNIT / 2));
        bench.at(9000).hear();

        assertThat(bench.job(1).attainedMillis(9000)).isEqualTo(8000);
        assertThat(bench.job(1).attainedGpuMillis(9000)).isEqualTo(16_000);
        assertThat(bench.job(1).doneWorkMillis(9000)).isEqualTo(6000);
        bench.hear(new Event.Left(1, 1, Outcome.PAUSED, new Usage(1000, 8000, 0, 0, 0, 6000)));
        assertThat(bench.job(1).savedWorkMillis()).isEqualTo(6000);
        assertThat(bench.job(1).attainedMillis(20_000)).isEqualTo(8000);
        assertThat(bench.job(1).resumed()).isTrue();
    }

    @Test
    void beneficiaryWaitsForRamAsItWaitsForGpus() {
        Topology topology = Topology.builder()
                .node("n", GpuCatalogue.named("V100"), 2, 1000, 1000)
                .build();
        Bench bench = new Bench(topology);
        Demand hungry = new Demand(1, 1, 0, 1000, List.of(), 1000, 0);
        bench.runs(Job.builder(1, 1).demand(hungry).build(), 0);
        bench.submit(Job.builder(2, 1).demand(hungry).build());

        assertThat(kinds(bench.act(new Action.Preempt(2, bench.on(1), List.of(1L), 0, 0))))
                .containsExactly(Fact.Pausing.class, Fact.Promised.class);
        assertThat(kinds(bench.left(1, Outcome.PAUSED))).containsExactly(Fact.Left.class, Fact.Started.class);
    }
}
