package dev.fermata.research.judge;

import dev.fermata.core.policy.PolicySpec;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.insight.experiment.ExperimentMatrix;
import dev.fermata.insight.experiment.FigurePlan;
import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.insight.experiment.RunCache;
import dev.fermata.insight.experiment.RunProgress;
import dev.fermata.insight.input.ExperimentSetting;
import dev.fermata.insight.input.ExperimentSpec;
import dev.fermata.insight.input.TraceCache;
import dev.fermata.insight.saved.SaveLocation;
import dev.fermata.insight.saved.SavedRuns;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Runs every cell with every estimator; each run is saved when it ends. */
public final class JudgeRunner {
    private record Setting(JudgeCell cell, String estimator, ExperimentSetting setting) {}

    private final List<Setting> settings = new ArrayList<>();
    private final Interruption interruption;
    private int expected;
    private int done;

    /** @throws IllegalArgumentException where a cell is not understood */
    public JudgeRunner(
            List<JudgeCell> cells, List<String> estimators, List<PolicySpec> policies, Interruption interruption) {
        this.interruption = interruption;
        TraceCache traces = new TraceCache(false);
        for (JudgeCell cell : cells) {
            for (String estimator : estimators) {
                settings.add(new Setting(cell, estimator, cell.setting(estimator, policies, traces)));
            }
        }
    }

    /** How many runs of the last call were made or found, of how many. */
    public String progress() {
        return done + " of " + expected + " runs done";
    }

    public boolean isComplete() {
        return done == expected;
    }

    /** The results of all cells whose runs are complete. One file holds all runs, so that an interrupted call can be resumed. */
    public List<CellResult> run(
            List<Long> seeds, List<Long> traceSeeds, int threads, RunProgress progress, SaveLocation location) {
        Set<ExperimentSpec> traces = settings.stream()
                .filter(s -> !s.cell().isGenerated())
                .map(s -> s.setting().spec())
                .collect(Collectors.toSet());
        ExperimentMatrix matrix = new ExperimentMatrix(
                settings.stream().map(Setting::setting).toList(),
                setting -> traces.contains(setting.spec()) ? traceSeeds : seeds,
                FigurePlan.NONE,
                interruption);
        Optional<SavedRuns> saved = location.open(matrix.cells());
        try {
            List<MeasuredRun> runs = matrix.run(threads, progress, saved.isPresent() ? saved.get() : RunCache.NONE);
            expected = matrix.cells().size();
            done = runs.size();
            if (isComplete() && !location.isPermanent()) {
                saved.ifPresent(SavedRuns::remove);
            }
            return results(matrix, runs);
        } finally {
            saved.ifPresent(SavedRuns::close);
        }
    }

    private List<CellResult> results(ExperimentMatrix matrix, List<MeasuredRun> runs) {
        Map<ExperimentSpec, Long> wanted = matrix.cells().stream()
                .collect(Collectors.groupingBy(c -> c.setting().spec(), Collectors.counting()));
        Map<ExperimentSpec, List<MeasuredRun>> made =
                runs.stream().collect(Collectors.groupingBy(r -> r.setting().spec()));
        List<CellResult> results = new ArrayList<>();
        for (Setting setting : settings) {
            ExperimentSpec spec = setting.setting().spec();
            List<MeasuredRun> own = made.getOrDefault(spec, List.of());
            if (own.size() == wanted.getOrDefault(spec, 0L)) {
                results.add(new CellResult(setting.cell(), setting.estimator(), own));
            }
        }
        return results;
    }
}
