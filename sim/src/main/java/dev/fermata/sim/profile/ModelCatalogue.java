package dev.fermata.sim.profile;

import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Profile;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The models about which something is known. Figures are re-typed from published tables and from our own measurements on an
 * H200; the tables lie beside this class, each line with its source, and {@code docs/profiles.md} says how they were put
 * together.
 */
public final class ModelCatalogue {
    /** Such as {@code ResNet-18 (batch size 128)}. */
    public static final Pattern WITH_BATCH = Pattern.compile("(.+?) *\\(batch size (\\d{1,9})\\)");

    private static final List<ModelProfile> ALL = read();
    private static final List<ModelProfile> GENERATED =
            ALL.stream().filter(m -> m.shares().generated() > 0).toList();
    private static final Map<String, ModelProfile> BY_NAME = byName();

    /**
     * A model as somebody named it.
     *
     * @param batch 0 where he named none
     * @param relative whether it is only the nearest one that is known
     */
    public record Found(ModelProfile model, int batch, boolean relative) {}

    private ModelCatalogue() {}

    public static List<ModelProfile> all() {
        return ALL;
    }

    public static List<String> names() {
        return ALL.stream().map(ModelProfile::name).toList();
    }

    /** The models that generated workloads are made of. */
    public static List<ModelProfile> generated() {
        return GENERATED;
    }

    /** The model of exactly this name. */
    public static ModelProfile named(String name) {
        return ALL.stream()
                .filter(m -> m.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no model '" + name + "' in the catalogue"));
    }

    /**
     * The model somebody means: case, dashes and the like do not matter, other spellings and nearest relatives count, and a
     * name may end in {@code (batch size N)}. Batch 0: none was named.
     */
    public static Optional<Found> find(String name, int batch) {
        if (name.isEmpty()) {
            return Optional.empty(); // most jobs of most traces
        }
        Matcher matcher = WITH_BATCH.matcher(name.strip());
        String bare = matcher.matches() ? matcher.group(1) : name;
        int asked = matcher.matches() ? Integer.parseInt(matcher.group(2)) : batch;
        String plain = plain(bare);
        ModelProfile model = BY_NAME.get(plain);
        return model == null
                ? Optional.empty()
                : Optional.of(new Found(model, asked, model.relatives().contains(plain)));
    }

    /** A name without case and anything but letters and digits. */
    static String plain(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    }

    private static Map<String, ModelProfile> byName() {
        Map<String, ModelProfile> map = new HashMap<>();
        for (ModelProfile model : ALL) {
            List<String> names = new ArrayList<>(model.aliases());
            names.addAll(model.relatives());
            names.add(plain(model.name()));
            for (String name : names) {
                if (map.put(name, model) != null) {
                    throw new IllegalStateException("two models answer to '" + name + "'");
                }
            }
        }
        return map;
    }

    private static List<ModelProfile> read() {
        Map<String, Sheet.Line> exchange = byModel("gradients.csv");
        Map<String, Sheet.Line> costs = byModel("costs.csv");
        Map<String, Sheet.Line> shares = byModel("shares.csv");
        List<Sheet.Line> ours = Sheet.read("h200.csv");
        List<ModelProfile> models = new ArrayList<>();
        for (Sheet.Line line : Sheet.read("models.csv")) {
            String name = line.text("model");
            Sheet.Line drawn = shares.get(name);
            models.add(model(line, of(exchange, name), of(costs, name), drawn, measurements(name, ours)));
        }
        return List.copyOf(models);
    }

    private static ModelProfile model(
            Sheet.Line line,
            Sheet.Line exchange,
            Sheet.Line costs,
            Sheet.@Nullable Line shares,
            List<Measurement> measurements) {
        double active = line.number("active_ms");
        double iteration = active + line.number("idle_ms");
        Profile reference = new Profile(
                line.text("model"),
                iteration,
                active / iteration,
                exchange.number("gradient_mib"),
                exchange.whole("layers"),
                line.whole("memory_mib"),
                Map.of("P100", exchange.number("p100"), "K80", exchange.number("k80")));
        return new ModelProfile(
                line.text("model"),
                line.list("aliases"),
                line.list("relatives"),
                line.whole("batch"),
                reference,
                new Costs(
                        costs.whole("pause_ms"),
                        costs.whole("build_ms"),
                        costs.whole("restore_ms"),
                        costs.whole("warmup_ms")),
                line.text("series"),
                measurements,
                new ModelProfile.Sources(line.text("source"), exchange.text("source"), costs.text("source")),
                shares == null
                        ? ModelProfile.Shares.NONE
                        : new ModelProfile.Shares(
                                shares.number("generated"),
                                shares.number("one"),
                                shares.number("few"),
                                shares.number("many")));
    }

    private static List<Measurement> measurements(String model, List<Sheet.Line> ours) {
        List<Measurement> found = new ArrayList<>(Rates.measurements(model));
        for (XonarProfiles.Row row : XonarProfiles.of("imagenet")) {
            if (row.model().equals(model)) {
                row.byBatch()
                        .forEach((batch, p) -> found.add(new Measurement(
                                "V100", batch, p.iterationMillis(), p.busyShare(), p.peakMemoryMib(), "Xonar")));
            }
        }
        for (Sheet.Line line : ours) {
            if (line.text("model").equals(model)) {
                found.add(new Measurement(
                        "H200", line.whole("batch"), line.number("iteration_ms"), 0, line.whole("memory_mib"), "H200"));
            }
        }
        found.sort(Comparator.comparing(Measurement::gpu)
                .thenComparing(Measurement::source)
                .thenComparingInt(Measurement::batch));
        return List.copyOf(found);
    }

    private static Map<String, Sheet.Line> byModel(String table) {
        Map<String, Sheet.Line> map = new LinkedHashMap<>();
        Sheet.read(table).forEach(line -> map.put(line.text("model"), line));
        return map;
    }

    private static Sheet.Line of(Map<String, Sheet.Line> table, String model) {
        Sheet.Line line = table.get(model);
        if (line == null) {
            throw new IllegalStateException("model '" + model + "' is missing from a table of the catalogue");
        }
        return line;
    }
}
