package dev.fermata.research.dally;

import static dev.fermata.research.dally.DallyFindings.CONSOLIDATE;
import static dev.fermata.research.dally.DallyFindings.DALLY;
import static dev.fermata.research.dally.DallyFindings.GANDIVA;
import static dev.fermata.research.dally.DallyFindings.NO_WAIT;
import static dev.fermata.research.dally.DallyFindings.SJF;
import static dev.fermata.research.dally.DallyFindings.SRSF;
import static dev.fermata.research.dally.DallyFindings.TIRESIAS;
import static dev.fermata.research.dally.DallyFindings.TIRESIAS_SLIP;

import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Topology;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.research.ExperimentRunner;
import dev.fermata.research.Finding;
import dev.fermata.research.Measurement;
import dev.fermata.research.TraceFolder;
import dev.fermata.research.dally.DallyFindings.HeadlineMetric;
import dev.fermata.research.dally.DallyResults.DallyReduction;
import dev.fermata.research.dally.DallySetting.DallyOutcome;
import dev.fermata.sim.trace.Trace;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.workload.DallyGenerator;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The authors' own traces, in a folder {@code dally} of the data, on the clusters and networks of this chapter. Nothing
 * is drawn: a cell is one sample, so the best of them has no interval.
 */
final class DallyTraces {
    private static final String FOLDER = "dally";
    private static final String TITLE = "The authors' traces";
    private static final double HOUR_MILLIS = 3_600_000;
    private static final List<String> POLICIES =
            List.of(DALLY, NO_WAIT, CONSOLIDATE, TIRESIAS, TIRESIAS_SLIP, GANDIVA, SJF, SRSF, "fermata");
    /** The authors' names of models whose own differ here. */
    private static final Map<String, String> MODELS = Map.of("bert", "bert-large", "vgg", "vgg11");

    private DallyTraces() {}

    static int workUnits(Path data) {
        return TraceFolder.files(data, FOLDER, ".json").size()
                * DallySetting.ofTrace("").size()
                * POLICIES.size();
    }

    static void run(ExperimentRunner runner, Path data, List<ResultTable> tables, List<Finding> findings) {
        List<Path> files = TraceFolder.files(data, FOLDER, ".json");
        if (files.isEmpty()) {
            tables.add(TraceFolder.missing(TITLE, data, FOLDER));
            return;
        }
        Map<DallySetting, List<String>> policies = new LinkedHashMap<>();
        List<ExperimentRunner.WorkUnit<DallyOutcome>> units = new ArrayList<>();
        for (Path file : files) {
            Trace trace = TraceFolder.read(file);
            for (DallySetting cell : DallySetting.ofTrace(TraceFolder.name(file))) {
                policies.put(cell, POLICIES);
                Topology topology = cell.topology();
                Workload jobs = workload(trace, topology);
                for (String policy : POLICIES) {
                    units.add(new ExperimentRunner.WorkUnit<>(
                            "dally " + policy + " on a trace", () -> cell.run(runner, policy, jobs, topology, 1)));
                }
            }
        }
        DallyResults results = DallyResults.of(policies, runner.runAll(units));
        policies.forEach((cell, rows) -> tables.add(DallyReproduction.table(results, cell, rows)));
        List<DallySetting> cells = List.copyOf(policies.keySet());
        for (HeadlineMetric headline : DallyFindings.HEADLINES) {
            findings.add(upTo(results, cells, headline, GANDIVA));
            findings.add(upTo(results, cells, headline, TIRESIAS));
        }
        for (HeadlineMetric headline : DallyFindings.HEADLINES) {
            for (String baseline : List.of(GANDIVA, TIRESIAS, SRSF)) {
                findings.add(mean(results, cells, headline, DALLY, baseline));
            }
            findings.add(mean(results, cells, headline, "fermata", DALLY));
        }
    }

    /** Run times as the trace has them, without a network; the authors' models with the profiles of their layer files. */
    static Workload workload(Trace trace, Topology topology) {
        Map<String, Profile> profiles = new LinkedHashMap<>();
        DallyGenerator.profiles().forEach(profile -> profiles.put(profile.model(), profile));
        List<SimulatedJob> jobs = new ArrayList<>();
        for (TraceRecord record : trace.records()) {
            String name = record.model().toLowerCase(Locale.ROOT);
            Profile profile = profiles.get(MODELS.getOrDefault(name, name));
            if (profile == null) {
                throw new IllegalArgumentException("trace " + trace.name() + ", job " + record.id() + ": model '"
                        + record.model() + "' is none of " + profiles.keySet());
            }
            double gpuHours = record.durationMillis() / HOUR_MILLIS * record.maxGpus();
            jobs.add(DallyGenerator.job(
                    jobs.size() + 1, record.maxGpus(), profile, gpuHours, record.submitMillis() / 1000.0, topology));
        }
        return new Workload(trace.name(), jobs);
    }

    /** The best cell, which one run alone measures. */
    private static Finding upTo(
            DallyResults results, List<DallySetting> cells, HeadlineMetric headline, String baseline) {
        List<DallyReduction> ranked = results.ranked(cells, DALLY, baseline, headline.measure());
        DallyReduction most = ranked.get(ranked.size() - 1);
        return Finding.published(
                DALLY,
                headline.metric(),
                DALLY,
                baseline,
                headline.published(),
                new Measurement(most.reduction().interval(), 1, "run"),
                most.setting().label(),
                "the authors' traces: most of " + cells.size() + " cells, a single run; least: "
                        + DallyFindings.percent(ranked.get(0).reduction().mean()));
    }

    private static Finding mean(
            DallyResults results, List<DallySetting> cells, HeadlineMetric headline, String policy, String baseline) {
        return Finding.difference(
                DALLY,
                headline.metric(),
                policy,
                baseline,
                Measurement.of(
                        results.ranked(cells, policy, baseline, headline.measure()).stream()
                                .map(cell -> cell.reduction().mean())
                                .toList(),
                        "cell"),
                "the authors' traces",
                "the spread is between cells, which share their jobs");
    }
}
