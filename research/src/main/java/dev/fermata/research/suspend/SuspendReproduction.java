package dev.fermata.research.suspend;

import dev.fermata.core.measure.MetricsSummary;
import dev.fermata.core.model.Topology;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.research.ExperimentRunner;
import dev.fermata.research.Finding;
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

/**
 * Not a paper: what it is worth to suspend victims in place, where 0, 30 or 60 % of the programs cannot save. The default policy
 * with suspension and without, on generated workloads and on traces.
 */
public final class SuspendReproduction implements Reproduction {
    static final String NAME = "suspend";
    static final String SUSPEND = "fermata";
    static final String CHECKPOINT = "fermata:suspend=false";
    static final List<String> POLICIES = List.of(SUSPEND, CHECKPOINT, "fifo");
    static final List<Double> CANNOT_SAVE = List.of(0.0, 0.3, 0.6);

    /** Where traces run, and how many of their jobs. */
    private static final String TRACE_CLUSTER = "32x4";

    private static final int TRACE_JOBS = 2_000;

    /** The folders of traces below that of the data, by the ending of their files. */
    private static final Map<String, String> TRACES = Map.of(
            "xion", ".csv", "tiresias", ".csv", "muri", ".csv", "itp", ".csv", "philly", ".gz", "dally", ".json");

    @Override
    public String paper() {
        return NAME;
    }

    @Override
    public int workUnits(int seeds) {
        return SuspendSetting.all().size() * CANNOT_SAVE.size() * POLICIES.size() * seeds;
    }

    @Override
    public int dataWorkUnits(Path data) {
        return traces(data).size() * CANNOT_SAVE.size() * POLICIES.size();
    }

    @Override
    public ReproductionReport reproduce(ExperimentRunner runner) {
        List<ResultTable> tables = new ArrayList<>();
        List<Finding> findings = new ArrayList<>();
        List<ExperimentRunner.WorkUnit<Sample>> units = new ArrayList<>();
        for (SuspendSetting setting : SuspendSetting.all()) {
            for (long seed : runner.seeds()) {
                Topology topology = setting.topology();
                addUnits(
                        runner,
                        units,
                        setting.label(),
                        setting.cluster(),
                        topology,
                        seed,
                        () -> WorkloadSpec.generate(setting.workload(), topology, seed));
            }
        }
        Path data = runner.data();
        List<Path> traces = data == null ? List.of() : traces(data);
        Topology topology = ClusterSpec.parse(TRACE_CLUSTER)
                .withSuspendMemoryMib(SuspendSetting.BASE.topology().node(0).suspendMemoryMib());
        for (Path file : traces) {
            String folder = String.valueOf(file.toAbsolutePath().getParent());
            addUnits(
                    runner,
                    units,
                    "traces: " + folder,
                    TRACE_CLUSTER,
                    topology,
                    traces.indexOf(file),
                    () -> firstJobs(new TraceFolder(file.resolveSibling("costs.yaml")).workload(file, topology)));
        }
        Map<String, SuspendRuns> bySetting = new LinkedHashMap<>();
        for (Sample sample : runner.runAll(units)) {
            String unit = sample.label.startsWith("traces") ? "trace" : Measurement.SEED;
            bySetting
                    .computeIfAbsent(sample.label, label -> new SuspendRuns(label, unit))
                    .add(sample.run);
        }
        bySetting.values().forEach(runs -> {
            tables.add(runs.table());
            findings.addAll(runs.findings());
        });
        if (data == null) {
            tables.add(TraceFolder.notGiven("traces"));
        }
        return new ReproductionReport(
                NAME,
                "Suspension in place: what it is worth",
                List.of(
                        ReproductionParameter.assumed(
                                "costs", "as measured on an H200: 0.4 s + 0.55 s/GiB out, 0.25 s + 0.16 s/GiB in"),
                        ReproductionParameter.assumed(
                                "cannot save", "drawn for each job; such a job saves neither on request nor by itself"),
                        ReproductionParameter.assumed("return", "to the very GPUs that it left"),
                        ReproductionParameter.assumed(
                                "traces",
                                "first " + TRACE_JOBS + " jobs, on " + TRACE_CLUSTER
                                        + "; 8 GiB where the memory is not known")),
                tables,
                findings);
    }

    /** A run, and the table that it is part of. */
    private record Sample(String label, SuspendRuns.SuspendRun run) {}

    /** Makes the workload of a unit, on its own thread. */
    private interface JobSource {
        Workload get();
    }

    private static void addUnits(
            ExperimentRunner runner,
            List<ExperimentRunner.WorkUnit<Sample>> units,
            String label,
            String cluster,
            Topology topology,
            long sample,
            JobSource jobs) {
        for (double share : CANNOT_SAVE) {
            for (String policy : POLICIES) {
                units.add(new ExperimentRunner.WorkUnit<>(policy + ", " + label, () -> {
                    Workload workload = SuspendableJobs.of(jobs.get(), share, sample);
                    MetricsSummary summary = runner.simulate(cluster, topology, workload, policy, sample)
                            .summary();
                    return new Sample(label, new SuspendRuns.SuspendRun(share, policy, sample, summary));
                }));
            }
        }
    }

    private static Workload firstJobs(Workload trace) {
        return new Workload(
                trace.name(),
                trace.jobs().subList(0, Math.min(TRACE_JOBS, trace.jobs().size())));
    }

    private static List<Path> traces(Path data) {
        return TRACES.keySet().stream()
                .sorted()
                .flatMap(folder -> TraceFolder.files(data, folder, String.valueOf(TRACES.get(folder))).stream())
                .toList();
    }
}
