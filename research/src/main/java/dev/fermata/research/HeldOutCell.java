package dev.fermata.research;

import java.util.List;
import java.util.function.ToDoubleBiFunction;

/**
 * The most or least favourable of several cells, measured without the bias of choosing it. The first half of the seeds
 * chooses the cell, the other half measures it. With one seed both are the same, and the sample has no interval.
 *
 * @param cell the chosen one
 * @param measured over the seeds that did not choose
 */
public record HeldOutCell<C>(C cell, Measurement measured) {
    /** For notes of findings. */
    public static final String NOTE = "chosen on the first half of the seeds, measured on the others";

    /** The cell with the largest mean over the choosing seeds; the first of equals. */
    public static <C> HeldOutCell<C> largest(List<C> cells, List<Long> seeds, ToDoubleBiFunction<C, Long> value) {
        return choose(cells, seeds, value, 1);
    }

    /** The cell with the smallest mean over the choosing seeds; the first of equals. */
    public static <C> HeldOutCell<C> smallest(List<C> cells, List<Long> seeds, ToDoubleBiFunction<C, Long> value) {
        return choose(cells, seeds, value, -1);
    }

    private static <C> HeldOutCell<C> choose(
            List<C> cells, List<Long> seeds, ToDoubleBiFunction<C, Long> value, int sign) {
        int half = seeds.size() / 2;
        List<Long> choosing = half == 0 ? seeds : seeds.subList(0, half);
        C best = cells.get(0);
        double most = Double.NEGATIVE_INFINITY;
        for (C cell : cells) {
            double mean = sign
                    * choosing.stream()
                            .mapToDouble(seed -> value.applyAsDouble(cell, seed))
                            .average()
                            .orElseThrow();
            if (mean > most) {
                most = mean;
                best = cell;
            }
        }
        C chosen = best;
        return new HeldOutCell<>(
                chosen,
                Measurement.bySeed(seeds.subList(half, seeds.size()).stream()
                        .map(seed -> value.applyAsDouble(chosen, seed))
                        .toList()));
    }
}
