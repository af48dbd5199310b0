package dev.fermata.research.xion;

import dev.fermata.core.measure.MetricsSummary;
import dev.fermata.core.model.Topology;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.research.ExperimentRunner;
import dev.fermata.research.TraceFolder;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.workload.Workload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The first author's own traces with the author's costs on the author's cluster. They are not part of the program: a
 * folder {@code xion} of the data holds them and {@code costs.yaml}. Nothing is drawn, so a sample is a trace.
 */
final class XionTraces {
    static final String CLUSTER = "32x4";
    private static final String FOLDER = "xion";

    /** The six policies of the author's simulator, by their names here, and those of this chapter. */
    private static final List<String> POLICIES = List.of(
            "fifo",
            "sjf",
            XionReproduction.SRTF,
            "srsf",
            "las",
            "gittins",
            XionReproduction.PAPER,
            XionReproduction.SERVICE,
            XionReproduction.FERMATA);

    /** Mean completion times in seconds that the author's simulator logged, and on which trace. */
    private static final String LOGGED_TRACE = "0e4a51";

    private static final Map<String, Double> LOGGED = logged();

    private XionTraces() {}

    private static Map<String, Double> logged() {
        Map<String, Double> seconds = new LinkedHashMap<>();
        seconds.put("fifo", 69.04e6);
        seconds.put("sjf", 19.89e6);
        seconds.put(XionReproduction.SRTF, 16.78e6);
        seconds.put("srsf", 15.48e6);
        seconds.put("las", 67.99e6);
        seconds.put("gittins", 26.50e6);
        return seconds;
    }

    static int workUnits(Path data) {
        return TraceFolder.files(data, FOLDER, ".csv").size() * POLICIES.size();
    }

    /** Runs every trace of the folder and adds its tables and findings. */
    static void run(ExperimentRunner runner, Path data, List<ResultTable> tables, XionFindings findings) {
        List<Path> files = TraceFolder.files(data, FOLDER, ".csv");
        if (files.isEmpty()) {
            tables.add(TraceFolder.missing("The first author's traces", data, FOLDER));
            return;
        }
        Topology topology = ClusterSpec.parse(CLUSTER);
        TraceFolder folder = new TraceFolder(data.resolve(FOLDER).resolve("costs.yaml"));
        List<ExperimentRunner.WorkUnit<MetricsSummary>> units = new ArrayList<>();
        List<String> names = files.stream().map(TraceFolder::name).toList();
        for (Path file : files) {
            Workload workload = folder.workload(file, topology);
            for (String policy : POLICIES) {
                units.add(new ExperimentRunner.WorkUnit<>(
                        policy + " on " + TraceFolder.name(file),
                        () -> runner.simulate(CLUSTER, topology, workload, policy, 1)
                                .summary()));
            }
        }
        List<MetricsSummary> answers = runner.runAll(units);
        XionResults results = new XionResults("trace");
        for (int i = 0; i < answers.size(); i++) {
            results.add(POLICIES.get(i % POLICIES.size()), answers.get(i));
        }
        tables.add(XionTables.traces(names, results, POLICIES));
        if (names.contains(LOGGED_TRACE)) {
            tables.add(XionTables.logged(LOGGED_TRACE, LOGGED, results, names.indexOf(LOGGED_TRACE)));
        }
        findings.addSetting(
                results,
                "the first author's traces on " + CLUSTER,
                "the author's jobs, costs and cluster; the traces are a later release than the paper");
    }
}
