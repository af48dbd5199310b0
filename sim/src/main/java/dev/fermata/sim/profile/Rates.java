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
public final class Rates {
    /** The type that speeds are relative to. */
    public static final String REFERENCE = "V100";

    /** The types measured beside the reference by the same people in the same way. */
    static final List<String> COMPARED = List.of("P100", "K80");

    private static final List<Integer> SIZES = List.of(1, 2, 4, 8, 16, 32, 64);
    private static final List<Integer> APART = List.of(2, 4, 8);
    private static final List<Row> ALL = read();
    private static final Map<Key, Row> BY_KEY = byKey();

    private record Key(String model, int batch, String gpu) {}

    /** @param together steps/s by {@link #SIZES} on as few nodes as possible, 0 where it does not run; NaN: not measured */
    record Row(Key key, List<Double> together, List<Double> apart, String source) {}

    private Rates() {}

    /**
     * Steps per second of a gang on as few nodes as possible; of a size between those measured, the one below. Empty where
     * nothing was measured or it does not run there.
     */
    public static OptionalDouble stepsPerSecond(String model, int batch, String gpu, int gpus) {
        Row row = BY_KEY.get(new Key(model, batch, gpu));
        double rate = row == null ? Double.NaN : value(row.together, SIZES, gpus);
        return rate > 0 ? OptionalDouble.of(rate) : OptionalDouble.empty();
    }

    /** Whether it was tried and cannot run there, as for want of memory. */
    public static boolean impossible(String model, int batch, String gpu, int gpus) {
        Row row = BY_KEY.get(new Key(model, batch, gpu));
        return row != null && value(row.together, SIZES, gpus) == 0;
    }

    /** Steps per second of a gang scattered over nodes, relative to one that is not. */
    public static OptionalDouble scattered(String model, int batch, String gpu, int gpus) {
        Row row = BY_KEY.get(new Key(model, batch, gpu));
        double ratio = row == null || gpus < APART.get(0) ? Double.NaN : value(row.apart, APART, gpus);
        return ratio > 0 ? OptionalDouble.of(ratio) : OptionalDouble.empty();
    }

    /** What the rates say of one GPU. */
    static List<Measurement> measurements(String model) {
        return ALL.stream()
                .filter(row -> row.key.model.equals(model) && row.together.get(0) > 0)
                .map(row -> new Measurement(row.key.gpu, row.key.batch, 1000 / row.together.get(0), 0, 0, row.source))
                .toList();
    }

    static List<String> models() {
        return ALL.stream().map(row -> row.key.model).distinct().toList();
    }

    private static double value(List<Double> values, List<Integer> sizes, int gpus) {
        double found = Double.NaN;
        for (int i = 0; i < sizes.size() && sizes.get(i) <= gpus; i++) {
            found = Double.isNaN(values.get(i)) ? found : values.get(i);
        }
        return found;
    }

    private static List<Row> read() {
        List<Row> rows = new ArrayList<>();
        for (Sheet.Line line : Sheet.read("rates.csv")) {
            List<Double> together =
                    SIZES.stream().map(size -> line.number("x" + size)).toList();
            List<Double> apart =
                    APART.stream().map(size -> line.number("apart" + size)).toList();
            Key key = new Key(line.text("model"), line.whole("batch"), line.text("gpu"));
            rows.add(new Row(key, together, apart, line.text("source")));
        }
        return rows;
    }

    private static Map<Key, Row> byKey() {
        Map<Key, Row> map = new HashMap<>();
        ALL.forEach(row -> map.put(row.key, row));
        return map;
    }
}
