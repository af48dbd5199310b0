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
 * The models with known figures. These are re-typed from published tables and from our own measurements on an H200. The
 * tables are stored next to this class, each row with its source; {@code docs/research/profiles.md} explains them.
 */
public final class ModelCatalogue {
    /** Such as {@code ResNet-18 (batch size 128)}. */
    public static final Pattern WITH_BATCH = Pattern.compile("(.+?) *\\(batch size (\\d{1,9})\\)");

    private static final List<ModelProfile> ALL = read();
    private static final List<ModelProfile> GENERATED =
            ALL.stream().filter(m -> m.shares().generated() > 0).toList();
    private static final Map<String, ModelProfile> BY_NAME = byName();

    /**
     * A model as a user or a trace names it.
     *
     * @param batch 0 where none is named
     * @param isRelated whether it is only the nearest one that is known
     */
    public record ModelMatch(ModelProfile model, int batch, boolean isRelated) {}

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
     * The model with this name. Case, dashes and the like do not matter, other spellings and nearest relatives count,
     * and a name may end in {@code (batch size N)}. Batch 0: none was named.
     */
    public static Optional<ModelMatch> find(String name, int batch) {
        if (name.isEmpty()) {
            return Optional.empty(); // most jobs of most traces
        }
        Matcher matcher = WITH_BATCH.matcher(name.strip());
        String bare = matcher.matches() ? matcher.group(1) : name;
        int requestedBatch = matcher.matches() ? Integer.parseInt(matcher.group(2)) : batch;
        String plain = normalize(bare);
        ModelProfile model = BY_NAME.get(plain);
        return model == null
                ? Optional.empty()
                : Optional.of(new ModelMatch(
                        model, requestedBatch, model.relatedModels().contains(plain)));
    }

    /** A name without case and anything but letters and digits. */
    static String normalize(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    }

    private static Map<String, ModelProfile> byName() {
        Map<String, ModelProfile> map = new HashMap<>();
        for (ModelProfile model : ALL) {
            List<String> names = new ArrayList<>(model.aliases());
            names.addAll(model.relatedModels());
            names.add(normalize(model.name()));
            for (String name : names) {
                if (map.put(name, model) != null) {
                    throw new IllegalStateException("two models have the name '" + name + "'");
                }
            }
        }
        return map;
    }

    private static List<ModelProfile> read() {
        Map<String, CatalogueTable.CatalogueRow> exchange = byModel("gradients.csv");
        Map<String, CatalogueTable.CatalogueRow> costs = byModel("costs.csv");
        Map<String, CatalogueTable.CatalogueRow> shares = byModel("shares.csv");
        List<CatalogueTable.CatalogueRow> h200Rows = CatalogueTable.read("h200.csv");
        List<ModelProfile> models = new ArrayList<>();
        for (CatalogueTable.CatalogueRow line : CatalogueTable.read("models.csv")) {
            String name = line.text("model");
            CatalogueTable.CatalogueRow drawn = shares.get(name);
            models.add(model(line, require(exchange, name), require(costs, name), drawn, measurements(name, h200Rows)));
        }
        return List.copyOf(models);
    }

    private static ModelProfile model(
            CatalogueTable.CatalogueRow line,
            CatalogueTable.CatalogueRow exchange,
            CatalogueTable.CatalogueRow costs,
            CatalogueTable.@Nullable CatalogueRow shares,
            List<IterationMeasurement> measurements) {
        double active = line.number("active_ms");
        double iteration = active + line.number("idle_ms");
        Profile reference = new Profile(
                line.text("model"),
                iteration,
                active / iteration,
                exchange.number("gradient_mib"),
                exchange.integer("layers"),
                line.integer("memory_mib"),
                Map.of("P100", exchange.number("p100"), "K80", exchange.number("k80")));
        return new ModelProfile(
                line.text("model"),
                line.list("aliases"),
                line.list("relatives"),
                line.integer("batch"),
                reference,
                new Costs(
                        costs.integer("preempt_ms"),
                        costs.integer("build_ms"),
                        costs.integer("restore_ms"),
                        costs.integer("warmup_ms")),
                line.text("series"),
                measurements,
                new ModelProfile.ProfileSources(line.text("source"), exchange.text("source"), costs.text("source")),
                shares == null
                        ? ModelProfile.DrawShares.NONE
                        : new ModelProfile.DrawShares(
                                shares.number("generated"),
                                shares.number("one"),
                                shares.number("few"),
                                shares.number("many")));
    }

    private static List<IterationMeasurement> measurements(String model, List<CatalogueTable.CatalogueRow> h200Rows) {
        List<IterationMeasurement> found = new ArrayList<>(ThroughputTable.measurements(model));
        for (XonarProfiles.XonarProfile row : XonarProfiles.of("imagenet")) {
            if (row.model().equals(model)) {
                row.byBatch()
                        .forEach((batch, p) -> found.add(new IterationMeasurement(
                                "V100", batch, p.iterationMillis(), p.busyShare(), p.peakMemoryMib(), "Xonar")));
            }
        }
        for (CatalogueTable.CatalogueRow line : h200Rows) {
            if (line.text("model").equals(model)) {
                found.add(new IterationMeasurement(
                        "H200",
                        line.integer("batch"),
                        line.number("iteration_ms"),
                        0,
                        line.integer("memory_mib"),
                        "H200"));
            }
        }
        found.sort(Comparator.comparing(IterationMeasurement::gpu)
                .thenComparing(IterationMeasurement::source)
                .thenComparingInt(IterationMeasurement::batch));
        return List.copyOf(found);
    }

    private static Map<String, CatalogueTable.CatalogueRow> byModel(String table) {
        Map<String, CatalogueTable.CatalogueRow> map = new LinkedHashMap<>();
        CatalogueTable.read(table).forEach(line -> map.put(line.text("model"), line));
        return map;
    }

    private static CatalogueTable.CatalogueRow require(Map<String, CatalogueTable.CatalogueRow> table, String model) {
        CatalogueTable.CatalogueRow line = table.get(model);
        if (line == null) {
            throw new IllegalStateException("model '" + model + "' is missing from a table of the catalogue");
        }
        return line;
    }
}
