package dev.fermata.sim.reproduce.dally;

import dev.fermata.sim.experiment.Estimate;
import dev.fermata.sim.reproduce.Lab;
import dev.fermata.sim.reproduce.dally.DallyCell.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;

/** What every policy came to in every cell with every seed. */
final class DallyResults {
    private record Run(DallyCell cell, String policy, long seed) {}

    /** How much less of something one policy has than another in one cell: the mean over seeds of one minus the ratio. */
    record Gain(DallyCell cell, Estimate reduction) {}

    private final Map<Run, Outcome> byRun = new HashMap<>();
    private final List<Long> seeds;

    private DallyResults(List<Long> seeds) {
        this.seeds = seeds;
    }

    /** Runs for each cell the policies it is given. */
    static DallyResults of(Lab lab, Map<DallyCell, List<String>> policies) {
        List<Run> runs = new ArrayList<>();
        policies.forEach((cell, all) -> {
            for (String policy : all) {
                lab.seeds().forEach(seed -> runs.add(new Run(cell, policy, seed)));
            }
        });
        List<Outcome> answers = lab.all(runs.stream()
                .map(run -> new Lab.Piece<>("dally " + run.policy, () -> run.cell.run(lab, run.policy, run.seed)))
                .toList());
        DallyResults results = new DallyResults(lab.seeds());
        for (int i = 0; i < runs.size(); i++) {
            results.byRun.put(runs.get(i), answers.get(i));
        }
        return results;
    }

    int seeds() {
        return seeds.size();
    }

    private Outcome get(DallyCell cell, String policy, long seed) {
        return Objects.requireNonNull(byRun.get(new Run(cell, policy, seed)), policy);
    }

    double mean(DallyCell cell, String policy, ToDoubleFunction<Outcome> measure) {
        return seeds.stream()
                .mapToDouble(seed -> measure.applyAsDouble(get(cell, policy, seed)))
                .average()
                .orElse(0);
    }

    Gain gain(DallyCell cell, String policy, String baseline, ToDoubleFunction<Outcome> measure) {
        return new Gain(
                cell,
                Estimate.of(seeds.stream()
                        .map(seed -> 1
                                - measure.applyAsDouble(get(cell, policy, seed))
                                        / measure.applyAsDouble(get(cell, baseline, seed)))
                        .toList()));
    }

    /** In which of these cells the policy gains least; the last is where it gains most. */
    List<Gain> ranked(List<DallyCell> cells, String policy, String baseline, ToDoubleFunction<Outcome> measure) {
        return cells.stream()
                .map(cell -> gain(cell, policy, baseline, measure))
                .sorted(Comparator.comparingDouble(gain -> gain.reduction.mean()))
                .toList();
    }
}
