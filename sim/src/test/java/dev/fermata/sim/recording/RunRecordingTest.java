package dev.fermata.sim.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.measure.MetricsSummary;
import dev.fermata.core.measure.PreemptionResult;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.experiment.Experiment;
import dev.fermata.sim.experiment.RunResult;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.WorkloadSpec;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A run recording agrees with the measured summary, whatever the policy, the cluster and the faults. */
class RunRecordingTest {
    private static final Faults.FaultRates FAULTS = new Faults.FaultRates(8 * 86_400_000L, 20 * 86_400_000L, 3_600_000);

    @ParameterizedTest
    @CsvSource({
        "fifo, 4x8:V100, 1",
        "srtf, 4x8:V100, 2",
        "las, 3x4:K80+3x4:V100, 3",
        "xion, 4x8:V100, 4",
        "dally, 2x4x4:V100, 5",
        "fermata, 4x8:V100, 6",
        "xonar, 4x8:V100, 7",
        "srtf, 1x32:V100, 8"
    })
    void recordingAgreesWithTheSummary(String policy, String cluster, long seed) {
        RunResult run = run(policy, cluster, seed, Faults.FaultRates.NONE, new RunRecording.RecordingDetail(12, 150));

        checkDistributions(run);
        checkSeries(run);
        checkPreemptions(run);
        checkGantt(Objects.requireNonNull(recording(run).gantt()));
    }

    @ParameterizedTest
    @CsvSource({"srtf, 11", "las, 12", "fermata, 13"})
    void recordingAgreesWithTheSummaryWhenHardwareFails(String policy, long seed) {
        RunResult run = run(policy, "4x8:V100", seed, FAULTS, new RunRecording.RecordingDetail(8, 5000));

        checkDistributions(run);
        checkSeries(run);
        checkPreemptions(run);
        GanttChart gantt = Objects.requireNonNull(recording(run).gantt());
        checkGantt(gantt);
        assertThat(gantt.windows()).isEqualTo(1);
    }

    private static RunResult run(
            String policy, String cluster, long seed, Faults.FaultRates faults, RunRecording.RecordingDetail detail) {
        Topology topology = ClusterSpec.parse(cluster);
        Workload workload = WorkloadSpec.generate("synthetic:jobs=500,load=1.3", topology, seed);
        Experiment experiment = new Experiment(
                cluster, topology, workload, PolicySpec.parse(policy), "noisy:0.5", faults, seed, GuardMode.PLAN);
        RunResult drawn = experiment.run(0, Experiment.RunObserver.NONE, Optional.of(detail));
        RunResult plain = experiment.run(0, Experiment.RunObserver.NONE);
        assertThat(drawn.summary()).as("to be looked at changes nothing").isEqualTo(plain.summary());
        assertThat(plain.recording()).isNull();
        return drawn;
    }

    private static RunRecording recording(RunResult run) {
        return Objects.requireNonNull(run.recording());
    }

    private static void checkDistributions(RunResult run) {
        for (EmpiricalCdf curve :
                List.of(recording(run).completionTimes(), recording(run).waitingTimes())) {
            assertThat(curve.values()).isSorted().hasSizeBetween(1, EmpiricalCdf.MAX_POINTS);
            assertThat(curve.shares()).isSorted().allMatch(s -> s > 0 && s <= 1);
            assertThat(curve.shares().get(curve.shares().size() - 1)).isEqualTo(1);
        }
        EmpiricalCdf jct = recording(run).completionTimes();
        assertThat(jct.values().get(jct.values().size() - 1))
                .isEqualTo(run.summary().all().jct().max());
        int bySize = recording(run).waitingByGroup().stream()
                .filter(g -> g.grouping() == WaitDistribution.Grouping.SIZE)
                .mapToInt(WaitDistribution::jobs)
                .sum();
        assertThat(bySize).isEqualTo(run.summary().all().completed());
        double waited = recording(run).waitingByGroup().stream()
                .filter(g -> g.grouping() == WaitDistribution.Grouping.CLASS)
                .mapToDouble(g -> g.mean() * g.jobs())
                .sum();
        assertThat(waited / bySize).isCloseTo(run.summary().all().waiting().mean(), within(1e-6 * (1 + waited)));
    }

    private static void checkSeries(RunResult run) {
        ClusterTimeSeries series = recording(run).series();
        MetricsSummary summary = run.summary();
        assertThat(series.size()).isBetween(1, TimeSeriesRecorder.MAX_BUCKETS);
        double busy = 0;
        double free = 0;
        double stranded = 0;
        double waiting = 0;
        for (int i = 0; i < series.size(); i++) {
            double span = series.toMillis(i) - series.fromMillis(i);
            busy += series.utilization(i) * span;
            free += series.freeGpus().get(i) * span;
            stranded += series.strandedGpus().get(i) * span;
            waiting += series.waitingJobs().get(i) * span;
        }
        double whole = series.endMillis() - series.beginMillis();
        assertThat(whole).isCloseTo(summary.makespanSeconds() * 1000, within(1e-3));
        assertThat(busy / whole).isCloseTo(summary.gpuUtilization(), within(1e-3));
        if (!series.singleNode()) {
            assertThat(stranded / free).isCloseTo(summary.fragmentation(), within(1e-2));
        }
        double waits = run.jobs().stream().mapToDouble(j -> j.waitMillis()).sum();
        assertThat(waiting).isCloseTo(waits, within(1e-3 * whole));
    }

    private static void checkPreemptions(RunResult run) {
        RecordedPreemptions preemptions = recording(run).preemptions();
        RecordedPreemptions.RecordedTotals totals = preemptions.totals();
        MetricsSummary summary = run.summary();
        assertThat(totals.preemptedJobs()).isEqualTo(summary.preemptions());
        assertThat(totals.preemptGpuMillis() + totals.reloadGpuMillis() + totals.otherOverheadGpuMillis())
                .isEqualTo(summary.gpuTime().overhead());
        assertThat(totals.lostGpuMillis() + totals.otherLostGpuMillis())
                .isEqualTo(summary.gpuTime().lost());
        assertThat(preemptions.kept()).hasSizeLessThanOrEqualTo(2 * PreemptionRecorder.MAX_OF_EACH);
        if (totals.preemptions() <= PreemptionRecorder.MAX_OF_EACH) {
            assertThat(preemptions.kept()).hasSize((int) totals.preemptions()).isEqualTo(preemptions.sample());
            assertThat(preemptions.kept().stream()
                            .mapToLong(PreemptionResult::gpuMillis)
                            .sum())
                    .isEqualTo(totals.gpuMillis());
            assertThat(preemptions.kept().stream()
                            .mapToLong(PreemptionResult::gainMillis)
                            .sum())
                    .isEqualTo(totals.gainMillis());
            assertThat(preemptions.kept().stream()
                            .mapToLong(PreemptionResult::costMillis)
                            .sum())
                    .isEqualTo(totals.costMillis());
        }
        for (PreemptionResult p : preemptions.kept()) {
            assertThat(p.victims()).isNotEmpty().allMatch(v -> v.awayMillis() >= 0 && v.remainingMillis() >= 0);
            assertThat(p.startedMillis())
                    .satisfiesAnyOf(
                            t -> assertThat(t).isEqualTo(-1), t -> assertThat(t).isGreaterThanOrEqualTo(p.atMillis()));
        }
    }

    /** On a GPU that is not shared, attempts follow each other. */
    private static void checkGantt(GanttChart gantt) {
        assertThat(gantt.rows()).isNotEmpty();
        assertThat(gantt.fromMillis()).isLessThanOrEqualTo(gantt.toMillis());
        for (int row = 0; row < gantt.rows().size(); row++) {
            int shown = row;
            List<GanttChart.GanttInterval> intervals = gantt.intervals().stream()
                    .filter(s -> s.rows().contains(shown))
                    .sorted(java.util.Comparator.comparingLong(GanttChart.GanttInterval::fromMillis)
                            .thenComparingLong(GanttChart.GanttInterval::toMillis))
                    .toList();
            long before = 0;
            for (GanttChart.GanttInterval interval : intervals) {
                assertThat(interval.toMillis()).isBetween(gantt.fromMillis(), gantt.toMillis());
                if (intervals.stream().noneMatch(GanttChart.GanttInterval::shared)) {
                    assertThat(interval.fromMillis()).isGreaterThanOrEqualTo(before);
                }
                before = interval.toMillis();
            }
        }
    }
}
