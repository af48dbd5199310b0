package dev.fermata.research.judge;

import dev.fermata.core.policy.PolicySpec;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.insight.experiment.ExperimentMatrix;
import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.insight.experiment.RunCache;
import dev.fermata.insight.experiment.RunProgress;
import dev.fermata.insight.input.ExperimentSetting;
import dev.fermata.insight.input.TraceCache;
import dev.fermata.insight.saved.SaveLocation;
import dev.fermata.insight.saved.SavedRuns;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Runs every cell with every estimator, first the generated ones, then the traces; each run is saved when it ends. */
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

    /** The results of all cells whose runs are complete. */
    public List<CellResult> run(
            List<Long> seeds, List<Long> traceSeeds, int threads, RunProgress progress, SaveLocation location) {
        expected = 0;
        done = 0;
        List<CellResult> results = new ArrayList<>();
        results.addAll(runPart(settings(true), seeds, threads, progress, location));
        results.addAll(runPart(settings(false), traceSeeds, threads, progress, location));
        return results;
    }

    private List<Setting> settings(boolean generated) {
        return settings.stream()
                .filter(s -> s.cell().isGenerated() == generated)
                .toList();
    }

    private List<CellResult> runPart(
            List<Setting> part, List<Long> seeds, int threads, RunProgress progress, SaveLocation location) {
        if (part.isEmpty()) {
            return List.of();
        }
        ExperimentMatrix matrix =
                new ExperimentMatrix(part.stream().map(Setting::setting).toList(), seeds, interruption);
        Optional<SavedRuns> saved = location.open(matrix.cells());
        try {
            List<MeasuredRun> runs = matrix.run(threads, progress, saved.isPresent() ? saved.get() : RunCache.NONE);
            expected += matrix.cells().size();
            done += runs.size();
            if (runs.size() == matrix.cells().size() && !location.isPermanent()) {
                saved.ifPresent(SavedRuns::remove);
            }
            return results(part, runs, seeds.size());
        } finally {
            saved.ifPresent(SavedRuns::close);
        }
    }

    private static List<CellResult> results(List<Setting> part, List<MeasuredRun> runs, int seeds) {
        List<CellResult> results = new ArrayList<>();
        for (Setting setting : part) {
            List<MeasuredRun> own = runs.stream()
                    .filter(r -> r.setting().spec().equals(setting.setting().spec()))
                    .toList();
            if (own.size() == seeds * setting.setting().policies().size()) {
                results.add(new CellResult(setting.cell(), setting.estimator(), own));
            }
        }
        return results;
    }
}
