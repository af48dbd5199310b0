package dev.fermata.sim.portrait;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.measure.Preemption;
import dev.fermata.core.measure.Summary;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
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

/** What a portrait shows agrees with what was measured, whatever the policy, the cluster and the faults. */
class PortraitTest {
    private static final Faults.Rates FAULTS = new Faults.Rates(8 * 86_400_000L, 20 * 86_400_000L, 3_600_000);

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
    void picturesAgreeWithTheFigures(String policy, String cluster, long seed) {
        RunResult run = run(policy, cluster, seed, Faults.Rates.NONE, new Portrait.Detail(12, 150));

        distributions(run);
        series(run);
        pauses(run);
        chart(Objects.requireNonNull(portrait(run).gantt()));
    }

    @ParameterizedTest
    @CsvSource({"srtf, 11", "las, 12", "fermata, 13"})
    void alsoWhenHardwareFails(String policy, long seed) {
        RunResult run = run(policy, "4x8:V100", seed, FAULTS, new Portrait.Detail(8, 5000));

        distributions(run);
        series(run);
        pauses(run);
        Gantt gantt = Objects.requireNonNull(portrait(run).gantt());
        chart(gantt);
        assertThat(gantt.windows()).isEqualTo(1);
    }

    private static RunResult run(
            String policy, String cluster, long seed, Faults.Rates faults, Portrait.Detail detail) {
        Topology topology = ClusterSpec.parse(cluster);
        Workload workload = WorkloadSpec.generate("synthetic:jobs=500,load=1.3", topology, seed);
        Experiment experiment = new Experiment(
                cluster, topology, workload, PolicySpec.parse(policy), "noisy:0.5", faults, seed, GuardMode.PLAN);
        RunResult drawn = experiment.run(0, Experiment.Watcher.NONE, Optional.of(detail));
        RunResult plain = experiment.run(0, Experiment.Watcher.NONE);
        assertThat(drawn.summary()).as("to be looked at changes nothing").isEqualTo(plain.summary());
        assertThat(plain.portrait()).isNull();
        return drawn;
    }

    private static Portrait portrait(RunResult run) {
        return Objects.requireNonNull(run.portrait());
    }

    private static void distributions(RunResult run) {
        for (Curve curve : List.of(portrait(run).jct(), portrait(run).waiting())) {
            assertThat(curve.values()).isSorted().hasSizeBetween(1, Curve.MOST_POINTS);
            assertThat(curve.shares()).isSorted().allMatch(s -> s > 0 && s <= 1);
            assertThat(curve.shares().get(curve.shares().size() - 1)).isEqualTo(1);
        }
        Curve jct = portrait(run).jct();
        assertThat(jct.values().get(jct.values().size() - 1))
                .isEqualTo(run.summary().all().jct().max());
        int bySize = portrait(run).waits().stream()
                .filter(g -> g.kind() == Group.Kind.SIZE)
                .mapToInt(Group::jobs)
                .sum();
        assertThat(bySize).isEqualTo(run.summary().all().completed());
        double waited = portrait(run).waits().stream()
                .filter(g -> g.kind() == Group.Kind.CLASS)
                .mapToDouble(g -> g.mean() * g.jobs())
                .sum();
        assertThat(waited / bySize).isCloseTo(run.summary().all().waiting().mean(), within(1e-6 * (1 + waited)));
    }

    private static void series(RunResult run) {
        Series series = portrait(run).series();
        Summary summary = run.summary();
        assertThat(series.size()).isBetween(1, SeriesRecorder.MOST_BUCKETS);
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
        if (!series.oneNode()) {
            assertThat(stranded / free).isCloseTo(summary.fragmentation(), within(1e-2));
        }
        double waits = run.jobs().stream().mapToDouble(j -> j.waitMillis()).sum();
        assertThat(waiting).isCloseTo(waits, within(1e-3 * whole));
    }

    private static void pauses(RunResult run) {
        Preemptions preemptions = portrait(run).preemptions();
        Preemptions.Totals totals = preemptions.totals();
        Summary summary = run.summary();
        assertThat(totals.pauses()).isEqualTo(summary.preemptions());
        assertThat(totals.pauseGpuMillis() + totals.reloadGpuMillis() + totals.otherOverheadGpuMillis())
                .isEqualTo(summary.gpuTime().overhead());
        assertThat(totals.lostGpuMillis() + totals.otherLostGpuMillis())
                .isEqualTo(summary.gpuTime().lost());
        assertThat(preemptions.kept()).hasSizeLessThanOrEqualTo(2 * PreemptionRecorder.MOST_OF_EACH);
        if (totals.preemptions() <= PreemptionRecorder.MOST_OF_EACH) {
            assertThat(preemptions.kept()).hasSize((int) totals.preemptions()).isEqualTo(preemptions.sample());
            assertThat(preemptions.kept().stream()
                            .mapToLong(Preemption::gpuMillis)
                            .sum())
                    .isEqualTo(totals.gpuMillis());
            assertThat(preemptions.kept().stream()
                            .mapToLong(Preemption::gainMillis)
                            .sum())
                    .isEqualTo(totals.gainMillis());
            assertThat(preemptions.kept().stream()
                            .mapToLong(Preemption::costMillis)
                            .sum())
                    .isEqualTo(totals.costMillis());
        }
        for (Preemption p : preemptions.kept()) {
            assertThat(p.victims()).isNotEmpty().allMatch(v -> v.awayMillis() >= 0 && v.remainingMillis() >= 0);
            assertThat(p.startedMillis())
                    .satisfiesAnyOf(
                            t -> assertThat(t).isEqualTo(-1), t -> assertThat(t).isGreaterThanOrEqualTo(p.atMillis()));
        }
    }

    /** On a GPU that nobody shares, stays follow each other. */
    private static void chart(Gantt gantt) {
        assertThat(gantt.rows()).isNotEmpty();
        assertThat(gantt.fromMillis()).isLessThanOrEqualTo(gantt.toMillis());
        for (int row = 0; row < gantt.rows().size(); row++) {
            int shown = row;
            List<Gantt.Stay> stays = gantt.stays().stream()
                    .filter(s -> s.rows().contains(shown))
                    .sorted(java.util.Comparator.comparingLong(Gantt.Stay::fromMillis)
                            .thenComparingLong(Gantt.Stay::toMillis))
                    .toList();
            long before = 0;
            for (Gantt.Stay stay : stays) {
                assertThat(stay.toMillis()).isBetween(gantt.fromMillis(), gantt.toMillis());
                if (stays.stream().noneMatch(Gantt.Stay::shared)) {
                    assertThat(stay.fromMillis()).isGreaterThanOrEqualTo(before);
                }
                before = stay.toMillis();
            }
        }
    }
}
