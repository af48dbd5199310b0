package dev.fermata.research.dally;

import dev.fermata.research.ExperimentRunner;
import dev.fermata.research.dally.DallySetting.DallyOutcome;
import dev.fermata.sim.experiment.ConfidenceInterval;
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
    record DallyReduction(DallySetting setting, ConfidenceInterval reduction) {}

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

    int seeds() {
        return seeds.size();
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

    DallyReduction reduction(
            DallySetting setting, String policy, String baseline, ToDoubleFunction<DallyOutcome> measure) {
        return new DallyReduction(
                setting,
                ConfidenceInterval.of(seeds.stream()
                        .map(seed -> 1
                                - measure.applyAsDouble(get(setting, policy, seed))
                                        / measure.applyAsDouble(get(setting, baseline, seed)))
                        .toList()));
    }

    /** In which of these cells the policy gains least; the last is where it gains most. */
    List<DallyReduction> ranked(
            List<DallySetting> settings, String policy, String baseline, ToDoubleFunction<DallyOutcome> measure) {
        return settings.stream()
                .map(setting -> reduction(setting, policy, baseline, measure))
                .sorted(Comparator.comparingDouble(reduction -> reduction.reduction.mean()))
                .toList();
    }
}
