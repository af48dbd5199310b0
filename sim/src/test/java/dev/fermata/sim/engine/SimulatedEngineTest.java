package dev.fermata.sim.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.measure.JobResult;
import dev.fermata.core.measure.MetricsSummary;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.TestSimulation;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.workload.AttemptOverhead;
import dev.fermata.sim.workload.SimulatedJob;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The effects of preemption, loading, co-located jobs and faults on an attempt, to the millisecond. */
class SimulatedEngineTest {
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
        TestSimulation simulation = TestSimulation.on("1x1", "srtf")
                .job(job(1, 1).build(), 0, 100)
                .job(job(2, 1).build(), 20, 10)
                .run();

        assertThat(simulation.runningMillis(1, 1)).isEqualTo(12_000);
        assertThat(simulation.endedMillis(1, 1)).isEqualTo(25_000); // preempted at 20 s, five seconds to save
        assertThat(simulation.startedMillis(2, 1)).isEqualTo(25_000);
        assertThat(simulation.endedMillis(2, 1)).isEqualTo(47_000);
        assertThat(simulation.runningMillis(1, 2)).isEqualTo(47_000 + 15_000);
        assertThat(simulation.endedMillis(1, 2)).isEqualTo(62_000 + 92_000); // eight seconds were kept
        assertThat(simulation.attemptEnded(1, 1).usage()).isEqualTo(new Usage(12_000, 8_000, 0, 5_000, 0, 8_000));
    }

    /** Twelve seconds of loading, of which nine are hidden. */
    private static SimulatedJob withHiddenLoading(long id, long submitSeconds, long seconds) {
        Job job = job(id, 1).build();
        return new SimulatedJob(
                job,
                1000 * submitSeconds,
                1000 * seconds,
                0,
                new AttemptOverhead(COSTS, 9_000, false),
                Outcome.COMPLETED,
                List.of());
    }

    @Test
    void hiddenLoadingIsNotCountedAsWork() {
        TestSimulation simulation = TestSimulation.on("1x1", "srtf")
                .job(withHiddenLoading(1, 0, 100))
                .run();

        assertThat(simulation.runningMillis(1, 1)).isEqualTo(3_000);
        assertThat(simulation.endedMillis(1, 1)).isEqualTo(112_000);
        assertThat(simulation.attemptEnded(1, 1).usage()).isEqualTo(new Usage(12_000, 100_000, 0, 0, 0, 100_000));
    }

    /** It has loaded at 12 s; that is seen at 20 s. */
    @Test
    void aLateRunningReportDoesNotDelayTheWork() {
        Job job = job(1, 1).build();
        TestSimulation simulation = TestSimulation.on("1x1", "srtf")
                .job(new SimulatedJob(
                        job, 0, 100_000, 0, new AttemptOverhead(COSTS, -8_000, false), Outcome.COMPLETED, List.of()))
                .run();
        assertThat(simulation.runningMillis(1, 1)).isEqualTo(20_000);
        assertThat(simulation.endedMillis(1, 1)).isEqualTo(112_000);
        assertThat(simulation.attemptEnded(1, 1).usage()).isEqualTo(new Usage(12_000, 100_000, 0, 0, 0, 100_000));

        TestSimulation shortJob = TestSimulation.on("1x1", "srtf")
                .job(new SimulatedJob(
                        job, 0, 5_000, 0, new AttemptOverhead(COSTS, -8_000, false), Outcome.COMPLETED, List.of()))
                .run();
        assertThat(shortJob.runningMillis(1, 1))
                .as("when it is over, at the latest")
                .isEqualTo(17_000);
        assertThat(shortJob.endedMillis(1, 1)).isEqualTo(17_000);
    }

    /** Preempted at 110 s, when it has two seconds of work left and saving takes five. */
    private static TestSimulation preemptedNearItsEnd(boolean endsInstead) {
        Job job = job(1, 1).declaredMillis(1_000_000).build();
        return TestSimulation.on("1x1", "srtf")
                .estimator("declared")
                .job(new SimulatedJob(
                        job, 0, 100_000, 0, new AttemptOverhead(COSTS, 0, endsInstead), Outcome.COMPLETED, List.of()))
                .job(job(2, 1).declaredMillis(10_000).build(), 110, 10)
                .run();
    }

    @Test
    void aJobPreemptedNearItsEndSavesOrFinishes() {
        assertThat(preemptedNearItsEnd(false).attemptEnded(1, 1).outcome()).isEqualTo(Outcome.PREEMPTED);
        TestSimulation ends = preemptedNearItsEnd(true);
        assertThat(ends.attemptEnded(1, 1).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(ends.endedMillis(1, 1)).isEqualTo(112_000);
        assertThat(ends.startedMillis(2, 1)).isEqualTo(112_000);
    }

    @Test
    void aJobPreemptedDuringHiddenLoadingLosesNoWork() {
        TestSimulation simulation = TestSimulation.on("1x1", "srtf")
                .job(withHiddenLoading(1, 0, 100))
                .job(job(2, 1).build(), 8, 10)
                .run();

        assertThat(simulation.endedMillis(1, 1)).isEqualTo(13_000);
        assertThat(simulation.attemptEnded(1, 1).usage()).isEqualTo(new Usage(8_000, 0, 0, 5_000, 0, 0));
        assertThat(simulation.attemptEnded(1, 2).usage().usefulMillis()).isEqualTo(100_000);
    }

    @Test
    void aPreemptionLongerThanTheGracePeriodLosesUnsavedWork() {
        TestSimulation simulation = TestSimulation.on("1x1", "srtf")
                .job(job(1, 1).graceMillis(3_000).build(), 0, 100)
                .job(job(2, 1).build(), 20, 10)
                .run();

        assertThat(simulation.attemptEnded(1, 1).outcome()).isEqualTo(Outcome.LOST);
        assertThat(simulation.attemptEnded(1, 1).usage()).isEqualTo(new Usage(12_000, 0, 8_000, 3_000, 0, 0));
        assertThat(simulation.attemptEnded(1, 1).next()).isEqualTo(JobState.PENDING);
        assertThat(simulation.startedMillis(2, 1)).isEqualTo(23_000);
        // nothing to restore: it starts from the beginning
        assertThat(simulation.runningMillis(1, 2) - simulation.startedMillis(1, 2))
                .isEqualTo(12_000);
        assertThat(simulation.endedMillis(1, 2) - simulation.runningMillis(1, 2))
                .isEqualTo(100_000);
    }

    /** Loads 12 s, runs 8 s, leaves; loads 15 s; of its 30 s 22 are left, whatever it would have needed. */
    @Test
    void theTimeLimitCountsAllAttempts() {
        TestSimulation simulation = TestSimulation.on("1x1", "srtf")
                .job(job(1, 1).limitMillis(30_000).build(), 0, 100)
                .job(job(2, 1).build(), 20, 10)
                .run();

        assertThat(simulation.attemptEnded(1, 1).outcome()).isEqualTo(Outcome.PREEMPTED);
        assertThat(simulation.runningMillis(1, 2)).isEqualTo(62_000);
        assertThat(simulation.endedMillis(1, 2)).isEqualTo(62_000 + 22_000);
        assertThat(simulation.attemptEnded(1, 2).outcome()).isEqualTo(Outcome.TIMEOUT);
        assertThat(simulation.attemptEnded(1, 2).next()).isEqualTo(JobState.TIMEOUT);
        assertThat(simulation.attemptEnded(1, 2).usage()).isEqualTo(new Usage(15_000, 0, 22_000, 0, 0, 8_000));
        assertThat(simulation.metrics().summary().failed()).isEqualTo(1);
        assertThat(simulation.metrics().summary().all().jct().mean())
                .as("of the completed jobs")
                .isEqualTo(27);
    }

    @Test
    void aJobDoneExactlyAtItsLimitCompletes() {
        TestSimulation simulation = TestSimulation.on("1x1", "fifo")
                .job(job(1, 1).limitMillis(100_000).build(), 0, 100)
                .job(job(2, 1).limitMillis(99_999).build(), 0, 100)
                .run();

        assertThat(simulation.attemptEnded(1, 1).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(simulation.attemptEnded(2, 1).outcome()).isEqualTo(Outcome.TIMEOUT);
        assertThat(simulation.endedMillis(2, 1) - simulation.runningMillis(2, 1))
                .isEqualTo(99_999);
    }

    /** Both run slower when co-located; the limit is one of time, not of work. */
    @Test
    void aNeighbourMovesTheEndButNotTheLimit() {
        Job limited =
                sharing(1, 1000, 1, Costs.NONE).toBuilder(1).limitMillis(60_000).build();
        TestSimulation simulation = TestSimulation.on("1x1", "fifo:share=2")
                .job(limited, 0, 50)
                .job(sharing(2, 1000, 1, Costs.NONE), 10, 50)
                .run();

        assertThat(simulation.attemptEnded(1, 1).outcome()).isEqualTo(Outcome.TIMEOUT);
        assertThat(simulation.endedMillis(1, 1)).isEqualTo(60_000);
        assertThat(simulation.attemptEnded(2, 1).outcome()).isEqualTo(Outcome.COMPLETED);
        double doneCoLocated = 50_000 / SpeedModel.coRunSlowdown(1, 1);
        assertThat((double) simulation.endedMillis(2, 1)).isCloseTo(60_000 + 50_000 - doneCoLocated, within(2.0));
    }

    @Test
    void aPreemptionOfExactlyTheGracePeriodSaves() {
        TestSimulation simulation = TestSimulation.on("1x1", "srtf")
                .job(job(1, 1).graceMillis(5_000).build(), 0, 100)
                .job(job(2, 1).build(), 20, 10)
                .run();

        assertThat(simulation.attemptEnded(1, 1).outcome()).isEqualTo(Outcome.PREEMPTED);
    }

    @Test
    void periodicCheckpointsBoundTheLoss() {
        TestSimulation simulation = TestSimulation.on("1x1", "srtf")
                .job(job(1, 1).graceMillis(1_000).checkpointMillis(3_000).build(), 0, 100)
                .job(job(2, 1).build(), 20, 10)
                .run();

        // ran 12..20, saved at 15 and 18
        assertThat(simulation.attemptEnded(1, 1).usage()).isEqualTo(new Usage(12_000, 6_000, 2_000, 1_000, 0, 6_000));
        assertThat(simulation.runningMillis(1, 2) - simulation.startedMillis(1, 2))
                .isEqualTo(15_000);
        assertThat(simulation.endedMillis(1, 2) - simulation.runningMillis(1, 2))
                .isEqualTo(94_000);
    }

    @Test
    void aFailedNodeLosesWorkSinceTheLastCheckpoint() {
        TestSimulation simulation = TestSimulation.on("1x1", "fifo")
                .faults(new Faults.FaultRates(200_000, 0, 50_000), 3)
                .job(job(1, 1).checkpointMillis(7_000).build(), 0, 600)
                .run();

        List<HistoryRecord.AttemptEnded> lost = simulation.history().stream()
                .map(TestSimulation.SimulatedRecord::record)
                .filter(f -> f instanceof HistoryRecord.AttemptEnded left && left.outcome() == Outcome.LOST)
                .map(HistoryRecord.AttemptEnded.class::cast)
                .toList();
        assertThat(lost).isNotEmpty();
        long saved = 0;
        for (HistoryRecord.AttemptEnded left : lost) {
            long ran = left.usage().usefulMillis() + left.usage().lostMillis();
            assertThat(left.usage().lostMillis()).isEqualTo(ran % 7_000);
            saved += ran / 7_000 * 7_000;
            assertThat(left.usage().savedWorkMillis()).isEqualTo(saved);
            assertThat(left.next()).isEqualTo(JobState.PENDING);
        }
        int last = lost.size() + 1;
        assertThat(simulation.attemptEnded(1, last).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(simulation.endedMillis(1, last) - simulation.runningMillis(1, last))
                .isEqualTo(600_000 - saved);
        assertThat(simulation.metrics().summary().gpuTime().isConserved()).isTrue();
    }

    @Test
    void aBeneficiaryStartsWhenTheSlowestVictimHasLeft() {
        TestSimulation simulation = TestSimulation.on("1x2", "srtf")
                .job(job(1, 1).build(), 0, 500)
                .job(job(2, 1).costs(new Costs(9_000, 0, 0, 0)).build(), 0, 500)
                .job(job(3, 2).build(), 100, 10)
                .run();

        assertThat(simulation.endedMillis(1, 1)).isEqualTo(105_000);
        assertThat(simulation.endedMillis(2, 1)).isEqualTo(109_000);
        assertThat(simulation.startedMillis(3, 1)).isEqualTo(109_000);
    }

    @Test
    void aVictimThatEndsInTheSameMillisecondCompletes() {
        TestSimulation simulation = TestSimulation.on("1x1", "srtf")
                .estimator("declared")
                .job(Job.builder(1, 1).declaredMillis(1_000_000).build(), 0, 50)
                .job(Job.builder(2, 1).declaredMillis(10_000).build(), 50, 10)
                .run();

        assertThat(simulation.attemptEnded(1, 1).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(simulation.endedMillis(1, 1)).isEqualTo(50_000);
        assertThat(simulation.startedMillis(2, 1)).isEqualTo(50_000);
    }

    @Test
    void neighboursSlowEachOtherDownWhileBothRun() {
        TestSimulation simulation = TestSimulation.on("1x1", "fifo:share=2")
                .job(sharing(1, 1024, 1.0, Costs.NONE), 0, 100)
                .job(sharing(2, 1024, 1.0, Costs.NONE), 50, 100)
                .run();
        Speed coLocated = Speed.REFERENCE.slowedBy(2 * SpeedModel.INTERFERENCE);

        long firstEnds = 50_000 + coLocated.millisFor(50_000 * Speed.UNIT);
        assertThat(simulation.endedMillis(1, 1)).isEqualTo(firstEnds);
        long remainingMicro = 100_000 * Speed.UNIT - (firstEnds - 50_000) * coLocated.micro();
        assertThat(simulation.endedMillis(2, 1)).isEqualTo(firstEnds + Speed.REFERENCE.millisFor(remainingMicro));
    }

    @Test
    void mostlyIdleNeighboursOnlyInterfere() {
        TestSimulation simulation = TestSimulation.on("1x1", "fifo:share=2")
                .job(sharing(1, 1024, 0.4, Costs.NONE), 0, 100)
                .job(sharing(2, 1024, 0.4, Costs.NONE), 0, 100)
                .run();
        Speed coLocated = Speed.REFERENCE.slowedBy(SpeedModel.INTERFERENCE);

        assertThat(simulation.endedMillis(1, 1)).isEqualTo(coLocated.millisFor(100_000 * Speed.UNIT));
        assertThat(simulation.endedMillis(2, 1)).isEqualTo(simulation.endedMillis(1, 1));
    }

    @Test
    void aLoadingNeighbourSlowsNoJobDown() {
        TestSimulation simulation = TestSimulation.on("1x1", "fifo:share=2")
                .job(sharing(1, 1024, 1.0, Costs.NONE), 0, 100)
                .job(sharing(2, 1024, 1.0, new Costs(0, 200_000, 0, 0)), 0, 10)
                .run();

        assertThat(simulation.endedMillis(1, 1)).isEqualTo(100_000);
        assertThat(simulation.endedMillis(2, 1)).isEqualTo(210_000);
    }

    @Test
    void overcommittedMemoryFailsTheLastJobAndItRetries() {
        Costs boot = new Costs(0, 25_000, 0, 0);
        TestSimulation simulation = TestSimulation.on("1x1:V100", "fifo:share=2,guard=false")
                .job(sharing(1, 20_000, 1.0, boot), 0, 100)
                .job(sharing(2, 20_000, 1.0, boot), 10, 100)
                .run();

        MetricsSummary summary = simulation.metrics().summary();
        assertThat(simulation.attemptEnded(1, 1).outcome()).isEqualTo(Outcome.COMPLETED);
        assertThat(simulation.attemptEnded(2, 1).outcome()).isEqualTo(Outcome.OOM);
        assertThat(simulation.attemptEnded(2, 1).usage()).isEqualTo(new Usage(25_000, 0, 0, 0, 0, 0));
        assertThat(summary.oomFailures()).isEqualTo(4); // booted at 35, 60, 85, 110 and then had room
        assertThat(summary.failed()).isZero();
    }

    @Test
    void theGuardWaitsInsteadOfCrashing() {
        TestSimulation simulation = TestSimulation.on("1x1:V100", "fifo:share=2")
                .job(sharing(1, 20_000, 1.0, Costs.NONE), 0, 100)
                .job(sharing(2, 20_000, 1.0, Costs.NONE), 10, 100)
                .run();

        assertThat(simulation.metrics().summary().oomFailures()).isZero();
        assertThat(simulation.startedMillis(2, 1)).isEqualTo(100_000);
    }

    @Test
    void aJobThatAlwaysRunsOutOfMemoryFails() {
        Job job = sharing(1, 1024, 1.0, new Costs(0, 1_000, 0, 0));
        TestSimulation simulation = TestSimulation.on("1x1:V100", "fifo")
                .job(new SimulatedJob(job, 0, 100_000, 40_000, job.costs()))
                .run();

        assertThat(simulation.metrics().results().get(0).state()).isEqualTo(JobState.OOM);
        assertThat(simulation.metrics().summary().oomFailures()).isEqualTo(21);
    }

    @Test
    void communicationTimeIsMeasured() {
        Topology cluster = ClusterSpec.parse("2x1x1");
        Profile communicating = new Profile("m", 100, 1, 2000, 10, 0, Map.of());
        Job job = Job.builder(1, 2).profile(communicating).build();
        TestSimulation simulation =
                TestSimulation.on(cluster, "fifo").job(job, 0, 1000).run();
        Speed speed = SpeedModel.speedAlone(job, Allocation.of(cluster, new int[] {0, 1}, false), cluster);

        assertThat(simulation.attemptEnded(1, 1).usage().communicationMillis() / 1e6)
                .isCloseTo(speed.communicationShare(), within(1e-6));
        assertThat(simulation.metrics().summary().communicationShare())
                .isCloseTo(speed.communicationShare(), within(1e-6));
        assertThat(speed.communicationShare()).isGreaterThan(0.3);
    }

    @Test
    void aFasterGpuFinishesSoonerAndASmallerGangLater() {
        Job elastic = Job.builder(2, 4)
                .demand(new Demand(1, 4, 0, 1000, List.of(), 0, 0))
                .build();
        TestSimulation simulation =
                TestSimulation.on("1x2:V100", "fifo").job(elastic, 0, 100).run();
        assertThat(simulation.endedMillis(2, 1)).isEqualTo(200_000);

        TestSimulation fast = TestSimulation.on("1x1:H100", "fifo")
                .job(Job.builder(1, 1).build(), 0, 100)
                .run();
        assertThat(fast.endedMillis(1, 1)).isEqualTo(25_000);
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 40);
    }

    /** Shared GPUs, preemptions, losses and faults: no millisecond is counted twice or lost. */
    @ParameterizedTest
    @MethodSource("seeds")
    void timeIsConserved(long seed) {
        java.util.Random random = new java.util.Random(seed);
        TestSimulation simulation = TestSimulation.on(
                        "2x2:V100",
                        List.of("las:threshold=60", "fair:lease=60", "fifo:share=3", "sjf:share=2")
                                .get(random.nextInt(4)))
                .faults(new Faults.FaultRates(2_000_000, 0, 60_000), seed);
        for (int id = 1; id <= 25; id++) {
            Costs costs = new Costs(random.nextInt(9000), random.nextInt(9000), random.nextInt(9000), 0);
            Job job = Job.builder(id, 1)
                    .demand(new Demand(1, 1, 1024 * (1 + random.nextInt(20)), 1000, List.of(), 0, 0))
                    .costs(costs)
                    .graceMillis(random.nextInt(12_000))
                    .checkpointMillis(random.nextInt(3) * 10_000L)
                    .maxPreemptions(5)
                    .build();
            simulation.job(job, random.nextInt(300), 1 + random.nextInt(200));
        }
        simulation.run();

        assertThat(simulation.metrics().summary().gpuTime().isConserved()).isTrue();
        for (JobResult job : simulation.metrics().results()) {
            assertThat(job.state()).isEqualTo(JobState.COMPLETED);
            assertThat(job.waitMillis() + job.overheadMillis() + job.runMillis())
                    .isEqualTo(job.jctMillis());
        }
    }

    /** It may run for 60 s. It runs 8 s and 10 s and is paused each time; of the third attempt 42 s are left. */
    @Test
    void theLimitCountsTheRunsOfAllEarlierAttempts() {
        TestSimulation simulation = TestSimulation.on("1x1", "srtf")
                .job(job(1, 1).limitMillis(60_000).build(), 0, 100)
                .job(job(2, 1).build(), 20, 10)
                .job(job(3, 1).build(), 72, 10)
                .run();

        assertThat(simulation.attemptEnded(1, 1).usage().runMillis()).isEqualTo(8_000);
        assertThat(simulation.attemptEnded(1, 2).usage().runMillis()).isEqualTo(10_000);
        assertThat(simulation.attemptEnded(1, 3).outcome()).isEqualTo(Outcome.TIMEOUT);
        assertThat(simulation.attemptEnded(1, 3).usage().runMillis()).isEqualTo(42_000);
    }
}
