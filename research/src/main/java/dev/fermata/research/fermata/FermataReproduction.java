package dev.fermata.research.fermata;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.RecordReader;
import dev.fermata.core.measure.MetricsSummary;
import dev.fermata.core.model.Topology;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.research.ExperimentRunner;
import dev.fermata.research.Finding;
import dev.fermata.research.HeldOutCell;
import dev.fermata.research.Measurement;
import dev.fermata.research.Reproduction;
import dev.fermata.research.ReproductionParameter;
import dev.fermata.research.ReproductionReport;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.WorkloadSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Not a paper: the default policy and those of the five papers on the default workload, which mixes trial and batch
 * jobs. It runs on one type of GPU and on three, with durations known, wrong by a factor of e on average, and unknown.
 */
public final class FermataReproduction implements Reproduction {
    private static final String FERMATA = "fermata";
    private static final List<String> CLUSTERS = List.of("16x8:V100", "4x8:K80+4x8:P100+8x8:V100");
    private static final List<String> ESTIMATORS = List.of("oracle", "noisy:1.0", "none");
    private static final String WORKLOAD = "synthetic";
    private static final List<String> POLICIES =
            List.of("sjf", "srtf", "srsf", "las", "gittins", "xion", "fitgpp", "dally", "jps", "xonar", FERMATA);

    private record FermataSetting(String cluster, String estimator) {
        String label() {
            return WORKLOAD + " on " + cluster + ", durations: " + estimator;
        }
    }

    /**
     * One run: its measures, and how many preemptions had a beneficiary that started neither on the freed GPUs nor
     * earlier.
     */
    private record FermataRun(
            FermataSetting setting, String policy, long seed, MetricsSummary summary, int wastedPreemptions) {}

    /** A job with reserved GPUs must be the next to start on them, or start on others earlier. */
    private static final class WastedPreemptionCounter
            implements RecordReader.IgnoresJobs,
                    RecordReader.IgnoresAttempts,
                    RecordReader.IgnoresCluster,
                    RecordReader.IgnoresDeclines {
        private final Map<Long, int[]> reservedGpus = new HashMap<>();
        private final Map<Long, Long> releasedMillis = new HashMap<>();
        private int wasted;

        @Override
        public void reserved(long nowMillis, HistoryRecord.Reserved record) {
            reservedGpus.put(record.jobId(), record.allocation().toArray());
        }

        @Override
        public void started(long nowMillis, HistoryRecord.Started record) {
            Long released = releasedMillis.remove(record.jobId());
            wasted += released == null || released == nowMillis ? 0 : 1;
            int[] expected = reservedGpus.remove(record.jobId());
            boolean onReserved = expected == null
                    || Arrays.equals(expected, record.allocation().toArray());
            wasted += onReserved ? 0 : 1;
        }

        @Override
        public void reservationReleased(long nowMillis, HistoryRecord.ReservationReleased record) {
            reservedGpus.remove(record.jobId());
            releasedMillis.put(record.jobId(), nowMillis);
        }

        int wastedPreemptions() {
            return wasted + reservedGpus.size() + releasedMillis.size();
        }
    }

    @Override
    public String paper() {
        return FERMATA;
    }

    @Override
    public int workUnits(int seeds) {
        return CLUSTERS.size() * ESTIMATORS.size() * POLICIES.size() * seeds;
    }

    @Override
    public ReproductionReport reproduce(ExperimentRunner runner) {
        List<ExperimentRunner.WorkUnit<FermataRun>> workUnits = new ArrayList<>();
        List<FermataSetting> settings = new ArrayList<>();
        CLUSTERS.forEach(c -> ESTIMATORS.forEach(e -> settings.add(new FermataSetting(c, e))));
        for (FermataSetting setting : settings) {
            for (String policy : POLICIES) {
                for (long seed : runner.seeds()) {
                    workUnits.add(new ExperimentRunner.WorkUnit<>(
                            policy + " with " + setting.estimator, () -> simulate(runner, setting, policy, seed)));
                }
            }
        }
        List<FermataRun> runs = runner.runAll(workUnits);
        List<ResultTable> tables = new ArrayList<>();
        List<Finding> findings = new ArrayList<>();
        for (FermataSetting setting : settings) {
            tables.add(table(setting, runs));
            findings.add(lead(setting, runs, runner.seeds()));
        }
        findings.add(wastedPreemptions(runs));
        return new ReproductionReport(
                FERMATA,
                "Fermata: the five together on the mixed default workload",
                List.of(
                        ReproductionParameter.assumed("workload", WORKLOAD + ": 2,000 jobs, load 0.9, 30 % trial jobs"),
                        ReproductionParameter.assumed("costs", "pause and load of the model zoo, measured on an H200"),
                        ReproductionParameter.assumed(
                                "noisy:1.0", "estimates are off by a log-normal factor with sigma 1"),
                        ReproductionParameter.assumed("none", "nothing is known about durations")),
                tables,
                findings);
    }

    private static FermataRun simulate(ExperimentRunner runner, FermataSetting setting, String policy, long seed) {
        Topology topology = ClusterSpec.parse(setting.cluster);
        Workload workload = WorkloadSpec.generate(WORKLOAD, topology, seed);
        WastedPreemptionCounter counter = new WastedPreemptionCounter();
        MetricsSummary summary = runner.simulate(
                        setting.cluster, topology, workload, policy, setting.estimator, seed, counter::read)
                .summary();
        return new FermataRun(setting, policy, seed, summary, counter.wastedPreemptions());
    }

    private static double jct(FermataSetting setting, String policy, long seed, List<FermataRun> runs) {
        return runs.stream()
                .filter(r -> r.setting.equals(setting) && r.policy.equals(policy) && r.seed == seed)
                .findFirst()
                .orElseThrow()
                .summary
                .all()
                .jct()
                .mean();
    }

    /** How much shorter the mean JCT is than under the hardest of the others. */
    private static Finding lead(FermataSetting setting, List<FermataRun> runs, List<Long> seeds) {
        List<String> others =
                POLICIES.stream().filter(policy -> !policy.equals(FERMATA)).toList();
        HeldOutCell<String> hardest = HeldOutCell.smallest(
                others,
                seeds,
                (other, seed) -> 1 - jct(setting, FERMATA, seed, runs) / jct(setting, other, seed, runs));
        return Finding.difference(
                FERMATA,
                "meanJctReduction",
                FERMATA,
                hardest.cell(),
                hardest.measured(),
                setting.label(),
                "against the best of all others in the table, " + HeldOutCell.NOTE);
    }

    private static Finding wastedPreemptions(List<FermataRun> runs) {
        List<FermataRun> own =
                runs.stream().filter(r -> r.policy.equals(FERMATA)).toList();
        long preemptions = own.stream().mapToLong(r -> r.summary.preemptions()).sum();
        return Finding.measurement(
                FERMATA,
                "wastedPreemptionsCount",
                FERMATA,
                Measurement.of(
                        own.stream().map(r -> (double) r.wastedPreemptions).toList(), "run"),
                "all settings together",
                "reservations of freed GPUs that ended neither in a start on them nor in an earlier one, in runs with "
                        + preemptions + " pauses");
    }

    private static ResultTable table(FermataSetting setting, List<FermataRun> runs) {
        List<List<String>> rows = new ArrayList<>();
        for (String policy : POLICIES) {
            List<FermataRun> own = runs.stream()
                    .filter(r -> r.setting.equals(setting) && r.policy.equals(policy))
                    .toList();
            rows.add(List.of(
                    policy,
                    number(mean(own, s -> s.all().jct().mean())),
                    number(mean(own, s -> s.all().waiting().mean())),
                    number(mean(own, s -> s.all().jct().p95())),
                    String.format(
                            Locale.ROOT,
                            "%.2f",
                            mean(own, s -> s.trial().slowdown().p95())),
                    String.format(
                            Locale.ROOT,
                            "%.2f",
                            mean(own, s -> s.batch().slowdown().p95())),
                    number(mean(own, MetricsSummary::makespanSeconds)),
                    number(mean(own, MetricsSummary::preemptions))));
        }
        return new ResultTable(
                setting.label(),
                List.of(
                        "policy",
                        "mean JCT s",
                        "mean wait s",
                        "p95 JCT s",
                        "trial p95 slowdown",
                        "batch p95 slowdown",
                        "makespan s",
                        "preemptions"),
                rows);
    }

    private static double mean(List<FermataRun> runs, ToDoubleFunction<MetricsSummary> measure) {
        return runs.stream()
                .mapToDouble(r -> measure.applyAsDouble(r.summary))
                .average()
                .orElse(0);
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }
}
