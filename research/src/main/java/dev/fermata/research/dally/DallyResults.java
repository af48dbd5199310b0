package dev.fermata.research.dally;

import dev.fermata.research.ExperimentRunner;
import dev.fermata.research.HeldOutCell;
import dev.fermata.research.Measurement;
import dev.fermata.research.dally.DallySetting.DallyOutcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/** Results by policy, cell and seed. */
final class DallyResults {
    private record DallyRun(DallySetting setting, String policy, long seed) {}

    /** How much less of something one policy has than another in one cell: the mean over seeds of one minus the ratio. */
    record DallyReduction(DallySetting setting, Measurement reduction) {}

    private final Map<DallyRun, DallyOutcome> byRun = new HashMap<>();
    private final List<Long> seeds;

    private DallyResults(List<Long> seeds) {
        this.seeds = seeds;
    }

    /** Runs for each cell the policies it is given. */
    static DallyResults of(ExperimentRunner runner, Map<DallySetting, List<String>> policies) {
        List<DallyRun> runs = new ArrayList<>();
        policies.forEach((setting, all) -> {
            for (String policy : all) {
                runner.seeds().forEach(seed -> runs.add(new DallyRun(setting, policy, seed)));
            }
        });
        List<DallyOutcome> answers = runner.runAll(runs.stream()
                .map(run -> new ExperimentRunner.WorkUnit<>(
                        "dally " + run.policy, () -> run.setting.run(runner, run.policy, run.seed)))
                .toList());
        DallyResults results = new DallyResults(runner.seeds());
        for (int i = 0; i < runs.size(); i++) {
            results.byRun.put(runs.get(i), answers.get(i));
        }
        return results;
    }

    /** Runs that were made elsewhere, in the order of cells, then policies; each is one sample. */
    static DallyResults of(Map<DallySetting, List<String>> policies, List<DallyOutcome> answers) {
        DallyResults results = new DallyResults(List.of(1L));
        int next = 0;
        for (Map.Entry<DallySetting, List<String>> cell : policies.entrySet()) {
            for (String policy : cell.getValue()) {
                results.byRun.put(new DallyRun(cell.getKey(), policy, 1), answers.get(next++));
            }
        }
        return results;
    }

    private DallyOutcome get(DallySetting setting, String policy, long seed) {
        return Objects.requireNonNull(byRun.get(new DallyRun(setting, policy, seed)), policy);
    }

    double mean(DallySetting setting, String policy, ToDoubleFunction<DallyOutcome> measure) {
        return seeds.stream()
                .mapToDouble(seed -> measure.applyAsDouble(get(setting, policy, seed)))
                .average()
                .orElse(0);
    }

    /** How much less of something one policy has than another, on one seed in one cell. */
    private double reduced(
            DallySetting setting, String policy, String baseline, long seed, ToDoubleFunction<DallyOutcome> measure) {
        return 1
                - measure.applyAsDouble(get(setting, policy, seed))
                        / measure.applyAsDouble(get(setting, baseline, seed));
    }

    DallyReduction reduction(
            DallySetting setting, String policy, String baseline, ToDoubleFunction<DallyOutcome> measure) {
        return new DallyReduction(
                setting,
                Measurement.bySeed(seeds.stream()
                        .map(seed -> reduced(setting, policy, baseline, seed, measure))
                        .toList()));
    }

    /** The mean over cells, seed by seed. */
    Measurement meanReduction(
            List<DallySetting> settings, String policy, String baseline, ToDoubleFunction<DallyOutcome> measure) {
        return Measurement.bySeed(seeds.stream()
                .map(seed -> settings.stream()
                        .mapToDouble(setting -> reduced(setting, policy, baseline, seed, measure))
                        .average()
                        .orElseThrow())
                .toList());
    }

    /** The cell where the policy gains most, chosen by other seeds than those that measure it. */
    HeldOutCell<DallySetting> largestReduction(
            List<DallySetting> settings, String policy, String baseline, ToDoubleFunction<DallyOutcome> measure) {
        return HeldOutCell.largest(
                settings, seeds, (setting, seed) -> reduced(setting, policy, baseline, seed, measure));
    }

    /** The cell where the policy gains least, chosen by other seeds than those that measure it. */
    HeldOutCell<DallySetting> smallestReduction(
            List<DallySetting> settings, String policy, String baseline, ToDoubleFunction<DallyOutcome> measure) {
        return HeldOutCell.smallest(
                settings, seeds, (setting, seed) -> reduced(setting, policy, baseline, seed, measure));
    }

    /** Every cell, from the least gain to the most: for ranges in notes, never for findings. */
    List<DallyReduction> ranked(
            List<DallySetting> settings, String policy, String baseline, ToDoubleFunction<DallyOutcome> measure) {
        return settings.stream()
                .map(setting -> reduction(setting, policy, baseline, measure))
                .sorted(Comparator.comparingDouble(reduction -> reduction.reduction.mean()))
                .toList();
    }
}
