package dev.fermata.sim.profile;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * Published steps per second by model, batch, GPU type and number of GPUs. Gavel (K80, P100, V100) counts the steps of all
 * workers together, each with the batch named; ElasticFlow (A100) divides the batch named over its GPUs.
 */
public final class ThroughputTable {
    /** The type that speeds are relative to. */
    public static final String REFERENCE = "V100";

    /** The types that the same authors measured together with the reference, in the same way. */
    static final List<String> COMPARED = List.of("P100", "K80");

    private static final List<Integer> CONSOLIDATED_SIZES = List.of(1, 2, 4, 8, 16, 32, 64);
    private static final List<Integer> SCATTERED_SIZES = List.of(2, 4, 8);
    private static final List<ThroughputRow> ALL = read();
    private static final Map<ThroughputKey, ThroughputRow> BY_KEY = byKey();

    private record ThroughputKey(String model, int batch, String gpu) {}

    /** @param consolidated steps/s by {@link #CONSOLIDATED_SIZES} on as few nodes as possible, 0 where it does not run; NaN: not measured */
    record ThroughputRow(ThroughputKey key, List<Double> consolidated, List<Double> scattered, String source) {}

    private ThroughputTable() {}

    /**
     * Steps per second of a gang on as few nodes as possible; of a size between those measured, the one below. Empty where
     * nothing was measured or it does not run there.
     */
    public static OptionalDouble stepsPerSecond(String model, int batch, String gpu, int gpus) {
        ThroughputRow row = BY_KEY.get(new ThroughputKey(model, batch, gpu));
        double rate = row == null ? Double.NaN : lookup(row.consolidated, CONSOLIDATED_SIZES, gpus);
        return rate > 0 ? OptionalDouble.of(rate) : OptionalDouble.empty();
    }

    /** Whether it was tried and cannot run there, as for lack of memory. */
    public static boolean cannotRun(String model, int batch, String gpu, int gpus) {
        ThroughputRow row = BY_KEY.get(new ThroughputKey(model, batch, gpu));
        return row != null && lookup(row.consolidated, CONSOLIDATED_SIZES, gpus) == 0;
    }

    /** Steps per second of a gang scattered over nodes, relative to one that is not. */
    public static OptionalDouble scatteredRatio(String model, int batch, String gpu, int gpus) {
        ThroughputRow row = BY_KEY.get(new ThroughputKey(model, batch, gpu));
        double ratio = row == null || gpus < SCATTERED_SIZES.get(0)
                ? Double.NaN
                : lookup(row.scattered, SCATTERED_SIZES, gpus);
        return ratio > 0 ? OptionalDouble.of(ratio) : OptionalDouble.empty();
    }

    /** What the rates say of one GPU. */
    static List<IterationMeasurement> measurements(String model) {
        return ALL.stream()
                .filter(row -> row.key.model.equals(model) && row.consolidated.get(0) > 0)
                .map(row -> new IterationMeasurement(
                        row.key.gpu, row.key.batch, 1000 / row.consolidated.get(0), 0, 0, row.source))
                .toList();
    }

    static List<String> models() {
        return ALL.stream().map(row -> row.key.model).distinct().toList();
    }

    private static double lookup(List<Double> values, List<Integer> sizes, int gpus) {
        double found = Double.NaN;
        for (int i = 0; i < sizes.size() && sizes.get(i) <= gpus; i++) {
            found = Double.isNaN(values.get(i)) ? found : values.get(i);
        }
        return found;
    }

    private static List<ThroughputRow> read() {
        List<ThroughputRow> rows = new ArrayList<>();
        for (CatalogueTable.CatalogueRow line : CatalogueTable.read("rates.csv")) {
            List<Double> consolidated = CONSOLIDATED_SIZES.stream()
                    .map(size -> line.number("x" + size))
                    .toList();
            List<Double> scattered = SCATTERED_SIZES.stream()
                    .map(size -> line.number("apart" + size))
                    .toList();
            ThroughputKey key = new ThroughputKey(line.text("model"), line.integer("batch"), line.text("gpu"));
            rows.add(new ThroughputRow(key, consolidated, scattered, line.text("source")));
        }
        return rows;
    }

    private static Map<ThroughputKey, ThroughputRow> byKey() {
        Map<ThroughputKey, ThroughputRow> map = new HashMap<>();
        ALL.forEach(row -> map.put(row.key, row));
        return map;
    }
}
