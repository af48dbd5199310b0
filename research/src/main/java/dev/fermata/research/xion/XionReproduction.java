package dev.fermata.research.xion;

import dev.fermata.core.measure.MetricsSummary;
import dev.fermata.core.model.Topology;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.research.ExperimentRunner;
import dev.fermata.research.Measurement;
import dev.fermata.research.Reproduction;
import dev.fermata.research.ReproductionParameter;
import dev.fermata.research.ReproductionReport;
import dev.fermata.research.TraceFolder;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.WorkloadSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Xion against SRTF, whose preemptions it avoids. The paper's abstract gives the two headlines; the pause and load
 * times are the placeholders in the first author's simulator. Sizes, run times and load of the generated settings are
 * ours, so each is compared; with data the author's own traces are too.
 */
public final class XionReproduction implements Reproduction {
    static final String PAPER = "xion";
    static final String SRTF = "srtf";
    static final String FERMATA = "fermata";
    static final String SERVICE = "xion:service=true";
    private static final List<String> POLICIES =
            List.of("fifo", "sjf:block=true", "sjf", SRTF, "srsf", "las", "gittins", PAPER, SERVICE, FERMATA);

    private record XionRun(XionSetting setting, String policy, long seed) {}

    @Override
    public String paper() {
        return PAPER;
    }

    @Override
    public int workUnits(int seeds) {
        return XionSetting.withSweep().size() * POLICIES.size() * seeds;
    }

    @Override
    public int dataWorkUnits(Path data) {
        return XionTraces.workUnits(data);
    }

    @Override
    public ReproductionReport reproduce(ExperimentRunner runner) {
        Map<XionSetting, XionResults> bySetting = simulateAll(runner);
        List<ResultTable> tables = new ArrayList<>();
        XionFindings findings = new XionFindings();
        for (XionSetting setting : XionSetting.ALL) {
            XionResults results = Objects.requireNonNull(bySetting.get(setting));
            tables.add(XionTables.setting(setting.label(), results, POLICIES));
            findings.addSetting(
                    results,
                    setting.label(),
                    "run times, sizes and load are ours: the gain grows with the costs relative to run times");
        }
        tables.add(XionTables.sweep(bySetting));
        bySetting.forEach((setting, results) -> {
            if (setting.scale() > 0 && !XionSetting.ALL.contains(setting)) {
                findings.addScale(results, setting.label());
            }
        });
        Path data = runner.data();
        if (data == null) {
            tables.add(TraceFolder.notGiven("The first author's traces"));
        } else {
            XionTraces.run(runner, data, tables, findings);
        }
        return new ReproductionReport(
                PAPER,
                "Xion pauses a job only when that gains more than pause and load cost",
                parameters(),
                tables,
                findings.all());
    }

    private static Map<XionSetting, XionResults> simulateAll(ExperimentRunner runner) {
        List<XionRun> runs = new ArrayList<>();
        for (XionSetting setting : XionSetting.withSweep()) {
            for (String policy : POLICIES) {
                runner.seeds().forEach(seed -> runs.add(new XionRun(setting, policy, seed)));
            }
        }
        List<MetricsSummary> answers = runner.runAll(runs.stream()
                .map(run -> new ExperimentRunner.WorkUnit<>("xion " + run.policy, () -> simulate(runner, run)))
                .toList());
        Map<XionSetting, XionResults> bySetting = new LinkedHashMap<>();
        for (int i = 0; i < runs.size(); i++) {
            XionRun run = runs.get(i);
            bySetting
                    .computeIfAbsent(run.setting, s -> new XionResults(Measurement.SEED))
                    .add(run.policy, answers.get(i));
        }
        return bySetting;
    }

    private static MetricsSummary simulate(ExperimentRunner runner, XionRun run) {
        Topology topology = ClusterSpec.parse(run.setting.cluster());
        Workload workload = WorkloadSpec.generate(run.setting.workload(), topology, run.seed)
                .withCosts(costs -> costs.scaled(run.setting.scale()));
        return runner.simulate(run.setting.cluster(), topology, workload, run.policy, run.seed)
                .summary();
    }

    private static List<ReproductionParameter> parameters() {
        return List.of(
                ReproductionParameter.authorsCode(
                        "pause, build, restore, warm-up", "10, 20, ... 60 s each for models a to f"),
                ReproductionParameter.authorsCode("first start", "build + warm-up; a resumed one also restores"),
                ReproductionParameter.authorsCode("straggler rule", "a gang starts when its last GPU is vacated"),
                ReproductionParameter.assumed("gangs", "1, 2, 4, 8 GPUs with shares 0.5, 0.2, 0.2, 0.1"),
                ReproductionParameter.assumed("run times", "log-uniform; 200 to 3000 s in the first setting"),
                ReproductionParameter.authorsCode(
                        "cluster", "16 nodes of 4 GPUs, 32 for the traces; 4 of 4 in the settings of 200 jobs is ours"),
                ReproductionParameter.assumed("baseline of the headlines", "srtf; the abstract does not name it"));
    }
}
