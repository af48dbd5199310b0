package dev.fermata.core.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Tier;
import dev.fermata.core.model.Topology;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A short history written by hand, and every figure worked out by hand. */
class MetricsCollectorTest {
    private static final Topology CLUSTER = Topology.builder()
            .node(GpuCatalogue.GENERIC, 2)
            .node(GpuCatalogue.GENERIC, 2)
            .build();
    private static final Job LONG = Job.builder(1, 2).build();
    private static final Job TRIAL = Job.builder(2, 1).jobClass(JobClass.TRIAL).build();

    private final MetricsCollector collector = new MetricsCollector(CLUSTER);

    private void at(long second, HistoryRecord... records) {
        for (HistoryRecord historyRecord : records) {
            collector.accept(second * 1000, historyRecord);
        }
    }

    private static HistoryRecord started(long id, int attempt, int... gpus) {
        return new HistoryRecord.Started(id, attempt, Allocation.of(CLUSTER, gpus, false), attempt > 1);
    }

    private static Usage usage(long load, long useful, long lost, long victim, long communication) {
        return new Usage(load * 1000, useful * 1000, lost * 1000, victim * 1000, communication * 1000, 0);
    }

    /** The long job runs 10..60, is preempted for the trial, which runs 65..95, and ends 115..165. */
    private void feed() {
        at(0, new HistoryRecord.Submitted(LONG), started(1, 1, 0, 1));
        at(10, new HistoryRecord.Running(1, 1, 1_000_000));
        at(20, new HistoryRecord.Submitted(TRIAL));
        at(60, new HistoryRecord.Preempting(1, 1, 2, 0, 0));
        at(
                65,
                new HistoryRecord.AttemptEnded(1, 1, Outcome.PREEMPTED, usage(10, 50, 0, 5, 10), JobState.PENDING),
                started(2, 1, 0),
                new HistoryRecord.Running(2, 1, 1_000_000));
        at(
                95,
                new HistoryRecord.AttemptEnded(2, 1, Outcome.COMPLETED, usage(0, 30, 0, 0, 0), JobState.COMPLETED),
                started(1, 2, 0, 1));
        at(115, new HistoryRecord.Running(1, 2, 1_000_000));
        at(165, new HistoryRecord.AttemptEnded(1, 2, Outcome.COMPLETED, usage(20, 50, 0, 0, 10), JobState.COMPLETED));
    }

    @Test
    void everyMillisecondOfAJobIsWaitingOverheadOrRunning() {
        feed();

        JobResult trial = collector.results().get(0);
        assertThat(trial.waitMillis()).isEqualTo(45_000);
        assertThat(trial.runMillis()).isEqualTo(30_000);
        assertThat(trial.overheadMillis()).isZero();
        assertThat(trial.jctMillis()).isEqualTo(75_000);
        assertThat(trial.slowdown()).isEqualTo(2.5);
        assertThat(trial.tier()).isEqualTo(Tier.GPU);

        JobResult longer = collector.results().get(1);
        assertThat(longer.waitMillis()).isEqualTo(30_000);
        assertThat(longer.overheadMillis()).isEqualTo(35_000);
        assertThat(longer.runMillis()).isEqualTo(100_000);
        assertThat(longer.jctMillis()).isEqualTo(165_000);
        assertThat(longer.firstStartMillis()).isZero();
        assertThat(longer.preemptions()).isEqualTo(1);
        assertThat(longer.attempts()).isEqualTo(2);
        assertThat(longer.slowdown()).isEqualTo(1.3);
    }

    @Test
    void theSummaryMatchesHandComputedValues() {
        feed();

        MetricsSummary summary = collector.summary();
        assertThat(summary.all().jct()).isEqualTo(new Distribution(120, 75, 165, 165, 165));
        assertThat(summary.all().waiting()).isEqualTo(new Distribution(37.5, 30, 45, 45, 45));
        assertThat(summary.all().slowdown().mean()).isCloseTo(1.9, within(1e-12));
        // stretches 1.65 and 2.5: 4.15^2 / (2 (2.7225 + 6.25))
        assertThat(summary.all().jainFairness()).isCloseTo(17.2225 / 17.945, within(1e-12));
        assertThat(summary.trial().jobs()).isEqualTo(1);
        assertThat(summary.batch().jct().mean()).isEqualTo(165);
        assertThat(summary.failed()).isZero();
        assertThat(summary.makespanSeconds()).isEqualTo(165);
        // 2 GPUs for 50 s, one for 30 s, 2 for 50 s, of 4 GPUs for 165 s
        assertThat(summary.gpuUtilization()).isCloseTo(230.0 / 660, within(1e-12));
        // free: 2 for 65 s, 3 for 30 s, 2 for 70 s; of these one next to the trial for 30 s
        assertThat(summary.fragmentation()).isCloseTo(30.0 / 360, within(1e-12));
        assertThat(summary.communicationShare()).isCloseTo(40.0 / 230, within(1e-12));
        assertThat(summary.preemptions()).isEqualTo(1);
        assertThat(summary.preemptedJobs()).isEqualTo(1);
        assertThat(summary.gpuTime()).isEqualTo(new GpuTime(300_000, 230_000, 70_000, 0, 40_000));
        assertThat(summary.gpuTime().isConserved()).isTrue();
        assertThat(collector.unfinished()).isZero();
    }

    @Test
    void lostWorkIsRunTimeThatIsNotUseful() {
        at(0, new HistoryRecord.Submitted(TRIAL), started(2, 1, 3), new HistoryRecord.Running(2, 1, 1_000_000));
        at(
                40,
                new HistoryRecord.AttemptEnded(2, 1, Outcome.LOST, usage(0, 30, 10, 0, 0), JobState.PENDING),
                started(2, 2, 3));
        at(70, new HistoryRecord.AttemptEnded(2, 2, Outcome.COMPLETED, usage(0, 30, 0, 0, 0), JobState.COMPLETED));

        assertThat(collector.summary().gpuTime()).isEqualTo(new GpuTime(70_000, 60_000, 0, 10_000, 0));
        assertThat(collector.results().get(0).runMillis()).isEqualTo(70_000);
        assertThat(collector.summary().preemptions()).isZero();
    }

    @Test
    void jobsThatDidNotCompleteCountAsFailedAndInNoTimeMetric() {
        at(
                0,
                new HistoryRecord.JobRejected(LONG, new PendingReason.Unsatisfiable(1, 2, 0)),
                new HistoryRecord.Submitted(TRIAL));
        at(30, new HistoryRecord.JobEnded(2, JobState.CANCELLED));

        MetricsSummary summary = collector.summary();
        assertThat(summary.failed()).isEqualTo(2);
        assertThat(summary.all().jobs()).isEqualTo(2);
        assertThat(summary.all().completed()).isZero();
        assertThat(summary.all().jct()).isEqualTo(new Distribution(0, 0, 0, 0, 0));
        assertThat(collector.results()).extracting(JobResult::waitMillis).containsExactly(0L, 30_000L);
        assertThat(collector.results()).extracting(JobResult::gpuType).containsOnly(-1);
    }

    @Test
    void jobsOnOneGpuAtATimeMakeItBusyOnce() {
        at(0, new HistoryRecord.Submitted(TRIAL), new HistoryRecord.Submitted(LONG));
        Allocation gpu = Allocation.of(CLUSTER, new int[] {0}, true);
        at(0, new HistoryRecord.Started(1, 1, gpu, false), new HistoryRecord.Running(1, 1, 1_000_000));
        at(0, new HistoryRecord.Started(2, 1, gpu, false), new HistoryRecord.Running(2, 1, 1_000_000));
        at(10, new HistoryRecord.AttemptEnded(1, 1, Outcome.COMPLETED, usage(0, 10, 0, 0, 0), JobState.COMPLETED));
        at(20, new HistoryRecord.AttemptEnded(2, 1, Outcome.COMPLETED, usage(0, 20, 0, 0, 0), JobState.COMPLETED));

        assertThat(collector.summary().gpuUtilization()).isEqualTo(0.25);
    }

    @Test
    void percentilesAreOfNearestRank() {
        double[] hundred =
                IntStream.rangeClosed(1, 100).mapToDouble(i -> 101 - i).toArray();

        assertThat(Distribution.of(hundred)).isEqualTo(new Distribution(50.5, 50, 95, 99, 100));
        assertThat(Distribution.of(new double[] {7})).isEqualTo(new Distribution(7, 7, 7, 7, 7));
        assertThat(Distribution.of(new double[] {1, 2, 3}).median()).isEqualTo(2);
        assertThat(Distribution.of(new double[] {})).isEqualTo(new Distribution(0, 0, 0, 0, 0));
    }

    @Test
    void jainIsOneWhenAllAreEqualAndMinimalWhenOneTakesAll() {
        assertThat(JobStatistics.jain(new double[] {3, 3, 3})).isCloseTo(1, within(1e-12));
        assertThat(JobStatistics.jain(new double[] {5, 0, 0, 0})).isCloseTo(0.25, within(1e-12));
    }
}
