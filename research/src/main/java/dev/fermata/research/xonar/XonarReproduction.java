package dev.fermata.research.xonar;

import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.research.ExperimentRunner;
import dev.fermata.research.Reproduction;
import dev.fermata.research.ReproductionParameter;
import dev.fermata.research.ReproductionReport;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/**
 * Xonar's experiment: queues of profiled jobs on two GPUs that two jobs may share. It compares first come first served
 * with one slot, with two slots and no memory guard (a job that does not fit crashes and starts over), with the guard,
 * and every score of Xonar.
 */
public final class XonarReproduction implements Reproduction {
    static final String XONAR = "xonar";
    static final String FERMATA = "fermata";
    static final String UNGUARDED = "fifo:share=2,guard=false";
    static final String GUARDED = "fifo:share=2";
    /** First fit within memory: score 5 is always 0. */
    static final String FIRST_FIT = "xonar:score=5";

    /** The compared policies, one row each in every table. */
    static final List<String> POLICIES = List.of(
            "fifo",
            UNGUARDED,
            GUARDED,
            XONAR,
            "xonar:score=1",
            "xonar:score=2",
            "xonar:score=4",
            FIRST_FIT,
            "xonar:score=6",
            "xonar:score=7",
            "xonar:score=8",
            "xonar:score=new",
            "xonar:max-skip=1000000",
            "sjf",
            "sjf:share=2",
            "srsf",
            FERMATA);

    private static final List<XonarSetting> SETTINGS =
            List.of(XonarSetting.QUEUES, XonarSetting.LONG_QUEUES, XonarSetting.STREAM, XonarSetting.CLUSTER);

    private static final List<String> SWEPT = List.of(UNGUARDED, GUARDED, XONAR);

    /** What the tail depends on: the length of the queue, and the duration of jobs relative to their boot. */
    private static final List<XonarSetting> SWEEP = List.of(
            new XonarSetting("100 jobs, one a minute", 1, "xonar:jobs=100,gap=60", 2),
            new XonarSetting("300 jobs, one a minute", 1, "xonar:jobs=300,gap=60", 2),
            new XonarSetting("1,000 jobs, one in 70 s", 1, "xonar:jobs=1000,gap=70", 2),
            new XonarSetting("1,000 jobs, one in 100 s", 1, "xonar:jobs=1000,gap=100", 2),
            new XonarSetting(
                    "1,000 jobs of a third the length, one in 37 s", 1, "xonar:jobs=1000,gap=37,iterations=33", 2),
            new XonarSetting(
                    "1,000 jobs of twice the length, one in 110 s", 1, "xonar:jobs=1000,gap=110,iterations=200", 2));

    @Override
    public String paper() {
        return XONAR;
    }

    @Override
    public int workUnits(int seeds) {
        int workUnits = TestbedQueue.ALL.size() * POLICIES.size();
        for (XonarSetting setting : SETTINGS) {
            workUnits += POLICIES.size() * setting.queues(seeds);
        }
        for (XonarSetting setting : SWEEP) {
            workUnits += SWEPT.size() * setting.queues(seeds);
        }
        return workUnits;
    }

    @Override
    public ReproductionReport reproduce(ExperimentRunner runner) {
        List<ResultTable> tables = new ArrayList<>();
        Map<TestbedQueue, Map<String, Double>> testbed = new LinkedHashMap<>();
        for (TestbedQueue queue : TestbedQueue.ALL) {
            Map<String, Double> seconds = simulateTestbed(runner, queue);
            testbed.put(queue, seconds);
            tables.add(testbedTable(queue, seconds));
        }
        Map<XonarSetting, Map<String, List<CompletionTails>>> all = new LinkedHashMap<>();
        for (XonarSetting setting : SETTINGS) {
            Map<String, List<CompletionTails>> runs = measure(runner, setting, POLICIES);
            all.put(setting, runs);
            List<List<String>> rows = new ArrayList<>();
            runs.forEach((policy, tails) -> rows.add(CompletionTails.row(policy, tails)));
            tables.add(new ResultTable(
                    setting.title() + " (" + setting.queues(runner.seeds().size()) + " of them)",
                    CompletionTails.COLUMNS,
                    rows));
        }
        SWEEP.forEach(setting -> all.put(setting, measure(runner, setting, SWEPT)));
        tables.add(sweep(all));
        return new ReproductionReport(
                XONAR,
                "Xonar: Profiling-based Job Orderer for Distributed Deep Learning (IEEE CLOUD 2022)",
                parameters(),
                tables,
                new XonarFindings(all, testbed).all());
    }

    static <K, V> V find(Map<K, V> map, K key) {
        return java.util.Objects.requireNonNull(map.get(key));
    }

    private static Map<String, List<CompletionTails>> measure(
            ExperimentRunner runner, XonarSetting setting, List<String> policies) {
        List<ExperimentRunner.WorkUnit<CompletionTails>> workUnits = new ArrayList<>();
        policies.forEach(policy -> workUnits.addAll(setting.workUnits(runner, policy)));
        List<CompletionTails> answers = runner.runAll(workUnits);
        Map<String, List<CompletionTails>> byPolicy = new LinkedHashMap<>();
        int each = setting.queues(runner.seeds().size());
        for (int i = 0; i < policies.size(); i++) {
            byPolicy.put(policies.get(i), answers.subList(i * each, (i + 1) * each));
        }
        return byPolicy;
    }

    private static Map<String, Double> simulateTestbed(ExperimentRunner runner, TestbedQueue queue) {
        Topology node = XonarSetting.topology(1);
        List<ExperimentRunner.WorkUnit<Double>> workUnits = new ArrayList<>();
        for (String policy : POLICIES) {
            workUnits.add(new ExperimentRunner.WorkUnit<>(
                    "xonar " + queue.name() + ", " + policy,
                    () -> runner.simulate("1x2:V100", node, queue.workload(), policy, 1)
                            .summary()
                            .makespanSeconds()));
        }
        List<Double> seconds = runner.runAll(workUnits);
        Map<String, Double> byPolicy = new LinkedHashMap<>();
        for (int i = 0; i < POLICIES.size(); i++) {
            byPolicy.put(POLICIES.get(i), seconds.get(i));
        }
        return byPolicy;
    }

    private static ResultTable testbedTable(TestbedQueue queue, Map<String, Double> testbed) {
        List<List<String>> rows = new ArrayList<>();
        testbed.forEach((policy, seconds) -> {
            OptionalDouble measured = queue.measured(policy);
            rows.add(List.of(
                    policy,
                    String.format(Locale.ROOT, "%.1f", seconds),
                    measured.isPresent() ? String.format(Locale.ROOT, "%.1f", measured.getAsDouble()) : "-",
                    measured.isPresent() ? CompletionTails.percent(seconds / measured.getAsDouble() - 1) : "-"));
        });
        return new ResultTable(
                "the authors' " + queue.name() + ": seconds until ten jobs are done",
                List.of("policy", "simulated", "measured by the authors", "difference"),
                rows);
    }

    private static ResultTable sweep(Map<XonarSetting, Map<String, List<CompletionTails>>> all) {
        List<List<String>> rows = new ArrayList<>();
        all.forEach((setting, runs) -> {
            List<CompletionTails> crashing = find(runs, UNGUARDED);
            List<String> row = new ArrayList<>(List.of(setting.title()));
            row.add(String.format(Locale.ROOT, "%.0f", CompletionTails.mean(crashing, CompletionTails::oomFailures)));
            for (ToDoubleFunction<CompletionTails> tail : List.<ToDoubleFunction<CompletionTails>>of(
                    CompletionTails::p95, CompletionTails::p99, CompletionTails::max)) {
                row.add(CompletionTails.percent(CompletionTails.reduction(find(runs, XONAR), crashing, tail)
                        .mean()));
            }
            row.add(CompletionTails.percent(
                    CompletionTails.reduction(find(runs, GUARDED), crashing, CompletionTails::max)
                            .mean()));
            rows.add(row);
        });
        return new ResultTable(
                "the tail against " + UNGUARDED + ", and how much of it the guard alone gives",
                List.of("setting", "OoM of the baseline", "xonar p95", "xonar p99", "xonar max", GUARDED + " max"),
                rows);
    }

    private static List<ReproductionParameter> parameters() {
        return List.of(
                ReproductionParameter.authorsCode(
                        "cluster", "1 node, 2 V100; two jobs fill at most 32,000 MB of a GPU"),
                ReproductionParameter.authorsCode("jobs", "2 workers, one on each GPU; 100 batches; 10 in a queue"),
                ReproductionParameter.authorsCode(
                        "profiles", "active, idle and memory of 29 models x 5 batch sizes, synchronous"),
                ReproductionParameter.authorsCode(
                        "draw", "even over data set, model and batch size; what OoMs alone drawn again"),
                ReproductionParameter.assumed("asynchronous and other option sets", "left out of the draw"),
                ReproductionParameter.authorsCode("slots", "2 jobs a GPU"),
                ReproductionParameter.authorsCode("score", "3, |(Ac/Ic)(Aj/Ij) - 1|; the others for comparison"),
                ReproductionParameter.calibrated("boot", "25 s, from the authors' one-slot total of trial 5"),
                ReproductionParameter.calibrated(
                        "interference", SpeedModel.INTERFERENCE + " on co-run iterations, from the totals of trial 5"),
                ReproductionParameter.assumed(
                        "out of memory", "the newcomer crashes after its boot and goes to the end; given up after 20"),
                ReproductionParameter.assumed("max-skip", "20: passed over this often, a job goes next"),
                ReproductionParameter.assumed("streams", "Poisson, one job a minute for each node"));
    }
}
