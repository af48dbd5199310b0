package dev.fermata.sim.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.measure.JobResult;
import dev.fermata.core.measure.Summary;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Pace;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.Play;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.workload.Toll;
import dev.fermata.sim.workload.TrueJob;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What pausing, loading, neighbours and faults do to an attempt, to the millisecond. */
class EngineRulesTest {
    private static final Costs COSTS = new Costs(5_000, 10_000, 3_000, 2_000);

    private static Job.Builder job(long id, int gpus) {
        return Job.builder(id, gpus).costs(COSTS);
    }

    private static Job sharing(long id, int memoryMib, double busyShare, Costs costs) {
        Profile profile = new Profile("m", 100, busyShare, 0, 1, memoryMib, Map.of());
        return Job.builder(id, 1)
                .demand(new Demand(1, 1, memoryMib, 1000, List.of(), 0, 0))
                .profile(profile)
                .costs(costs)
                .build();
    }

    @Test
    void aFirstStartBuildsAndWarmsUpAndAResumeAlsoRestores() {
        Play play = Play.on("1x1", "srtf")
                .job(job(1, 1).build(), 0, 100)
                .job(job(2, 1).build(), 20, 10)
                .run();

        assertThat(play.runningMillis(1, 1)).isEqualTo(12_000);
        assertThat(play.leftMillis(1, 1)).isEqualTo(25_000); // asked at 20 s, five seconds to save
        assertThat(play.startedMillis(2, 1)).isEqualTo(25_000);
        assertThat(play.leftMillis(2, 1)).isEqualTo(47_000);
        assertThat(play.runningMillis(1, 2)).isEqualTo(47_000 + 15_000);
        assertThat(play.leftMillis(1, 2)).isEqualTo(62_000 + 92_000); // eight seconds were kept
        assertThat(play.left(1, 1).usage()).isEqualTo(new Usage(12_000, 8_000, 0, 5_000, 0, 8_000));
    }

    /** Twelve seconds of loading, of which nine go unseen. */
    private static TrueJob hidesItsLoading(long id, long submitSeconds, long seconds) {
        Job job = job(id, 1).build();
        return new TrueJob(
                job,
                1000 * submitSeconds,
                1000 * seconds,
                0,
                new Toll(COSTS, 9_000, false),
                Outcome.COMPLETED,
                List.of());
    }

    @Test
    void loadingThatGoesUnseenIsStillNoWork() {
        Play play = Play.on("1x1", "srtf").job(hidesItsLoading(1, 0, 100)).run();

        assertThat(play.runningMillis(1, 1)).isEqualTo(3_000);
        assertThat(play.leftMillis(1, 1)).isEqualTo(112_000);
        assertThat(play.left(1, 1).usage()).isEqualTo(new Usage(12_000, 100_000, 0, 0, 0, 100_000));
    }

    /** It has loaded at 12 s; that is seen at 20 s. */
    @Test
    void loadingThatIsSeenToBeOverLateIsOverAllTheSame() {
        Job job = job(1, 1).build();
        Play play = Play.on("1x1", "srtf")
                .job(new TrueJob(job, 0, 100_000, 0, new Toll(COSTS, -8_000, false), Outcome.COMPLETED, List.of()))
                .run();
        assertThat(play.runningMillis(1, 1)).isEqualTo(20_000);
        assertThat(play.leftMillis(1, 1)).isEqualTo(112_000);
        assertThat(play.left(1, 1).usage()).isEqualTo(new Usage(12_000, 100_000, 0, 0, 0, 100_000));

        Play brief = Play.on("1x1", "srtf")
                .job(new TrueJob(job, 0, 5_000, 0, new Toll(COSTS, -8_000, false), Outcome.COMPLETED, List.of()))
                .run();
        assertThat(brief.runningMillis(1, 1))
                .as("when it is over, at the latest")
                .isEqualTo(17_000);
        assertThat(brief.leftMillis(1, 1)).isEqualTo(17_000);
    }

    /** Asked at 110 s, when it has two seconds of work left and saving takes five. */
    private static Play askedAtItsEnd(boolean endsInstead) {
        Job job = job(1, 1).declaredMillis(1_000_000).build();
        return Play.on("1x1", "srtf")
                .estimator("declared")
                .job(new TrueJob(job, 0, 100_000, 0, new Toll(COSTS, 0, endsInstead), Outcome.COMPLETED, List.of()))
                .job(job(2, 1).declaredMillis(10_000).build(), 110, 10)
                .run();
    }

    @Test
    void whoIsAskedToLeaveAtItsEndSavesOrEnds() {
        assertThat(askedAtItsEnd(false).left(1, 1).outcome()).isEqualTo(Outcome.PAUSED);
        Play ends = askedAtItsEnd(true);
        assertThat(ends.left(1, 1).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(ends.leftMillis(1, 1)).isEqualTo(112_000);
        assertThat(ends.startedMillis(2, 1)).isEqualTo(112_000);
    }

    @Test
    void whoIsPausedInIt() {
        Play play = Play.on("1x1", "srtf")
                .job(hidesItsLoading(1, 0, 100))
                .job(job(2, 1).build(), 8, 10)
                .run();

        assertThat(play.leftMillis(1, 1)).isEqualTo(13_000);
        assertThat(play.left(1, 1).usage()).isEqualTo(new Usage(8_000, 0, 0, 5_000, 0, 0));
        assertThat(play.left(1, 2).usage().usefulMillis()).isEqualTo(100_000);
    }

    @Test
    void aPauseLongerThanTheGraceLosesWhatWasNotSaved() {
        Play play = Play.on("1x1", "srtf")
                .job(job(1, 1).graceMillis(3_000).build(), 0, 100)
                .job(job(2, 1).build(), 20, 10)
                .run();

        assertThat(play.left(1, 1).outcome()).isEqualTo(Outcome.LOST);
        assertThat(play.left(1, 1).usage()).isEqualTo(new Usage(12_000, 0, 8_000, 3_000, 0, 0));
        assertThat(play.left(1, 1).next()).isEqualTo(JobState.PENDING);
        assertThat(play.startedMillis(2, 1)).isEqualTo(23_000);
        // nothing to restore: it starts from the beginning
        assertThat(play.runningMillis(1, 2) - play.startedMillis(1, 2)).isEqualTo(12_000);
        assertThat(play.leftMillis(1, 2) - play.runningMillis(1, 2)).isEqualTo(100_000);
    }

    /** Loads 12 s, runs 8 s, leaves; loads 15 s; of its 30 s 22 are left, whatever it would have needed. */
    @Test
    void aJobIsStoppedAfterRunningAsLongAsItMayOverAllAttempts() {
        Play play = Play.on("1x1", "srtf")
                .job(job(1, 1).limitMillis(30_000).build(), 0, 100)
                .job(job(2, 1).build(), 20, 10)
                .run();

        assertThat(play.left(1, 1).outcome()).isEqualTo(Outcome.PAUSED);
        assertThat(play.runningMillis(1, 2)).isEqualTo(62_000);
        assertThat(play.leftMillis(1, 2)).isEqualTo(62_000 + 22_000);
        assertThat(play.left(1, 2).outcome()).isEqualTo(Outcome.TIMEOUT);
        assertThat(play.left(1, 2).next()).isEqualTo(JobState.TIMEOUT);
        assertThat(play.left(1, 2).usage()).isEqualTo(new Usage(15_000, 0, 22_000, 0, 0, 8_000));
        assertThat(play.meter().summary().failed()).isEqualTo(1);
        assertThat(play.meter().summary().all().jct().mean())
                .as("of those who completed")
                .isEqualTo(27);
    }

    @Test
    void whoIsDoneAtItsLimitIsDone() {
        Play play = Play.on("1x1", "fifo")
                .job(job(1, 1).limitMillis(100_000).build(), 0, 100)
                .job(job(2, 1).limitMillis(99_999).build(), 0, 100)
                .run();

        assertThat(play.left(1, 1).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(play.left(2, 1).outcome()).isEqualTo(Outcome.TIMEOUT);
        assertThat(play.leftMillis(2, 1) - play.runningMillis(2, 1)).isEqualTo(99_999);
    }

    /** Both run slower beside each other; the limit is one of time, not of work. */
    @Test
    void aNeighbourMovesTheEndButNotTheLimit() {
        Job limited =
                sharing(1, 1000, 1, Costs.NONE).toBuilder(1).limitMillis(60_000).build();
        Play play = Play.on("1x1", "fifo:share=2")
                .job(limited, 0, 50)
                .job(sharing(2, 1000, 1, Costs.NONE), 10, 50)
                .run();

        assertThat(play.left(1, 1).outcome()).isEqualTo(Outcome.TIMEOUT);
        assertThat(play.leftMillis(1, 1)).isEqualTo(60_000);
        assertThat(play.left(2, 1).outcome()).isEqualTo(Outcome.COMPLETED);
        double doneBeside = 50_000 / SpeedModel.coRunStretch(1, 1);
        assertThat((double) play.leftMillis(2, 1)).isCloseTo(60_000 + 50_000 - doneBeside, within(2.0));
    }

    @Test
    void aPauseOfExactlyTheGraceSaves() {
        Play play = Play.on("1x1", "srtf")
                .job(job(1, 1).graceMillis(5_000).build(), 0, 100)
                .job(job(2, 1).build(), 20, 10)
                .run();

        assertThat(play.left(1, 1).outcome()).isEqualTo(Outcome.PAUSED);
    }

    @Test
    void periodicCheckpointsBoundTheLoss() {
        Play play = Play.on("1x1", "srtf")
                .job(job(1, 1).graceMillis(1_000).checkpointMillis(3_000).build(), 0, 100)
                .job(job(2, 1).build(), 20, 10)
                .run();

        // ran 12..20, saved at 15 and 18
        assertThat(play.left(1, 1).usage()).isEqualTo(new Usage(12_000, 6_000, 2_000, 1_000, 0, 6_000));
        assertThat(play.runningMillis(1, 2) - play.startedMillis(1, 2)).isEqualTo(15_000);
        assertThat(play.leftMillis(1, 2) - play.runningMillis(1, 2)).isEqualTo(94_000);
    }

    @Test
    void aDyingNodeLosesWorkSinceTheLastCheckpoint() {
        Play play = Play.on("1x1", "fifo")
                .faults(new Faults.Rates(200_000, 0, 50_000), 3)
                .job(job(1, 1).checkpointMillis(7_000).build(), 0, 600)
                .run();

        List<Fact.Left> lost = play.history().stream()
                .map(Play.Line::fact)
                .filter(f -> f instanceof Fact.Left left && left.outcome() == Outcome.LOST)
                .map(Fact.Left.class::cast)
                .toList();
        assertThat(lost).isNotEmpty();
        long saved = 0;
        for (Fact.Left left : lost) {
            long ran = left.usage().usefulMillis() + left.usage().lostMillis();
            assertThat(left.usage().lostMillis()).isEqualTo(ran % 7_000);
            saved += ran / 7_000 * 7_000;
            assertThat(left.usage().savedWorkMillis()).isEqualTo(saved);
            assertThat(left.next()).isEqualTo(JobState.PENDING);
        }
        int last = lost.size() + 1;
        assertThat(play.left(1, last).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(play.leftMillis(1, last) - play.runningMillis(1, last)).isEqualTo(600_000 - saved);
        assertThat(play.meter().summary().gpuTime().conserved()).isTrue();
    }

    @Test
    void aBeneficiaryStartsWhenTheSlowestVictimHasLeft() {
        Play play = Play.on("1x2", "srtf")
                .job(job(1, 1).build(), 0, 500)
                .job(job(2, 1).costs(new Costs(9_000, 0, 0, 0)).build(), 0, 500)
                .job(job(3, 2).build(), 100, 10)
                .run();

        assertThat(play.leftMillis(1, 1)).isEqualTo(105_000);
        assertThat(play.leftMillis(2, 1)).isEqualTo(109_000);
        assertThat(play.startedMillis(3, 1)).isEqualTo(109_000);
    }

    @Test
    void aVictimThatEndsThisVeryMillisecondEndsByItself() {
        Play play = Play.on("1x1", "srtf")
                .estimator("declared")
                .job(Job.builder(1, 1).declaredMillis(1_000_000).build(), 0, 50)
                .job(Job.builder(2, 1).declaredMillis(10_000).build(), 50, 10)
                .run();

        assertThat(play.left(1, 1).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(play.leftMillis(1, 1)).isEqualTo(50_000);
        assertThat(play.startedMillis(2, 1)).isEqualTo(50_000);
    }

    @Test
    void neighboursSlowEachOtherDownWhileBothRun() {
        Play play = Play.on("1x1", "fifo:share=2")
                .job(sharing(1, 1024, 1.0, Costs.NONE), 0, 100)
                .job(sharing(2, 1024, 1.0, Costs.NONE), 50, 100)
                .run();
        Pace beside = Pace.REFERENCE.slowedBy(2 * SpeedModel.INTERFERENCE);

        long firstEnds = 50_000 + beside.millisFor(50_000 * Pace.UNIT);
        assertThat(play.leftMillis(1, 1)).isEqualTo(firstEnds);
        long leftMicro = 100_000 * Pace.UNIT - (firstEnds - 50_000) * beside.micro();
        assertThat(play.leftMillis(2, 1)).isEqualTo(firstEnds + Pace.REFERENCE.millisFor(leftMicro));
    }

    @Test
    void idleEnoughNeighboursOnlyInterfere() {
        Play play = Play.on("1x1", "fifo:share=2")
                .job(sharing(1, 1024, 0.4, Costs.NONE), 0, 100)
                .job(sharing(2, 1024, 0.4, Costs.NONE), 0, 100)
                .run();
        Pace beside = Pace.REFERENCE.slowedBy(SpeedModel.INTERFERENCE);

        assertThat(play.leftMillis(1, 1)).isEqualTo(beside.millisFor(100_000 * Pace.UNIT));
        assertThat(play.leftMillis(2, 1)).isEqualTo(play.leftMillis(1, 1));
    }

    @Test
    void aLoadingNeighbourDoesNotSlowAnybodyDown() {
        Play play = Play.on("1x1", "fifo:share=2")
                .job(sharing(1, 1024, 1.0, Costs.NONE), 0, 100)
                .job(sharing(2, 1024, 1.0, new Costs(0, 200_000, 0, 0)), 0, 10)
                .run();

        assertThat(play.leftMillis(1, 1)).isEqualTo(100_000);
        assertThat(play.leftMillis(2, 1)).isEqualTo(210_000);
    }

    @Test
    void overcommittedMemoryCrashesWhoeverCameLastAndItTriesAgain() {
        Costs boot = new Costs(0, 25_000, 0, 0);
        Play play = Play.on("1x1:V100", "fifo:share=2,guard=false")
                .job(sharing(1, 20_000, 1.0, boot), 0, 100)
                .job(sharing(2, 20_000, 1.0, boot), 10, 100)
                .run();

        Summary summary = play.meter().summary();
        assertThat(play.left(1, 1).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(play.left(2, 1).outcome()).isEqualTo(Outcome.OOM);
        assertThat(play.left(2, 1).usage()).isEqualTo(new Usage(25_000, 0, 0, 0, 0, 0));
        assertThat(summary.oomFailures()).isEqualTo(4); // booted at 35, 60, 85, 110 and then had room
        assertThat(summary.failed()).isZero();
    }

    @Test
    void theGuardWaitsInsteadOfCrashing() {
        Play play = Play.on("1x1:V100", "fifo:share=2")
                .job(sharing(1, 20_000, 1.0, Costs.NONE), 0, 100)
                .job(sharing(2, 20_000, 1.0, Costs.NONE), 10, 100)
                .run();

        assertThat(play.meter().summary().oomFailures()).isZero();
        assertThat(play.startedMillis(2, 1)).isEqualTo(100_000);
    }

    @Test
    void whoAlwaysRunsOutOfMemoryEndsSo() {
        Job job = sharing(1, 1024, 1.0, new Costs(0, 1_000, 0, 0));
        Play play = Play.on("1x1:V100", "fifo")
                .job(new TrueJob(job, 0, 100_000, 40_000, job.costs()))
                .run();

        assertThat(play.meter().results().get(0).state()).isEqualTo(JobState.OOM);
        assertThat(play.meter().summary().oomFailures()).isEqualTo(21);
    }

    @Test
    void timeSpentTalkingIsMeasured() {
        Topology cluster = ClusterSpec.parse("2x1x1");
        Profile talks = new Profile("m", 100, 1, 2000, 10, 0, Map.of());
        Job job = Job.builder(1, 2).profile(talks).build();
        Play play = Play.on(cluster, "fifo").job(job, 0, 1000).run();
        Pace pace = SpeedModel.alone(job, Allocation.of(cluster, new int[] {0, 1}, false), cluster);

        assertThat(play.left(1, 1).usage().communicationMillis() / 1e6)
                .isCloseTo(pace.communicationShare(), within(1e-6));
        assertThat(play.meter().summary().communicationShare()).isCloseTo(pace.communicationShare(), within(1e-6));
        assertThat(pace.communicationShare()).isGreaterThan(0.3);
    }

    @Test
    void aFasterGpuFinishesSoonerAndASmallerGangLater() {
        Job elastic = Job.builder(2, 4)
                .demand(new Demand(1, 4, 0, 1000, List.of(), 0, 0))
                .build();
        Play play = Play.on("1x2:V100", "fifo").job(elastic, 0, 100).run();
        assertThat(play.leftMillis(2, 1)).isEqualTo(200_000);

        Play fast = Play.on("1x1:H100", "fifo")
                .job(Job.builder(1, 1).build(), 0, 100)
                .run();
        assertThat(fast.leftMillis(1, 1)).isEqualTo(25_000);
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 40);
    }

    /** Shared GPUs, pauses, losses and faults: no millisecond is counted twice or forgotten. */
    @ParameterizedTest
    @MethodSource("seeds")
    void timeIsConserved(long seed) {
        java.util.Random random = new java.util.Random(seed);
        Play play = Play.on(
                        "2x2:V100",
                        List.of("las:threshold=60", "fair:lease=60", "fifo:share=3", "sjf:share=2")
                                .get(random.nextInt(4)))
                .faults(new Faults.Rates(2_000_000, 0, 60_000), seed);
        for (int id = 1; id <= 25; id++) {
            Costs costs = new Costs(random.nextInt(9000), random.nextInt(9000), random.nextInt(9000), 0);
            Job job = Job.builder(id, 1)
                    .demand(new Demand(1, 1, 1024 * (1 + random.nextInt(20)), 1000, List.of(), 0, 0))
                    .costs(costs)
                    .graceMillis(random.nextInt(12_000))
                    .checkpointMillis(random.nextInt(3) * 10_000L)
                    .maxPreemptions(5)
                    .build();
            play.job(job, random.nextInt(300), 1 + random.nextInt(200));
        }
        play.run();

        assertThat(play.meter().summary().gpuTime().conserved()).isTrue();
        for (JobResult job : play.meter().results()) {
            assertThat(job.state()).isEqualTo(JobState.COMPLETED);
            assertThat(job.waitMillis() + job.overheadMillis() + job.runMillis())
                    .isEqualTo(job.jctMillis());
        }
    }
}
