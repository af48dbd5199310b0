package dev.fermata.insight.input;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import dev.fermata.core.policy.Suggestion;
import dev.fermata.core.text.Quantity;
import dev.fermata.sim.profile.ModelCatalogue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Pause and load costs in seconds: YAML ({@code resnet50: {preemptSeconds: 2, ...}}) or CSV with the columns
 * {@code model,preemptSeconds,buildSeconds,restoreSeconds,warmupSeconds}. What is not given is 0. Instead of a model a row may
 * name a size ({@code gpus>=8}), a class ({@code trial}, {@code batch}) or all others ({@code default}); the first of
 * these four that matches a job applies, of several sizes the largest. A job without a match keeps its costs.
 */
final class CostsFile {
    private static final String DEFAULT = "default";
    private static final Pattern SIZE = Pattern.compile("gpus *>= *([1-9][0-9]{0,6})");
    private static final List<String> KEYS =
            List.of("preemptSeconds", "buildSeconds", "restoreSeconds", "warmupSeconds");
    /** Files for 0.1.0. */
    private static final List<String> OLD_KEYS =
            List.of("pauseSeconds", "buildSeconds", "restoreSeconds", "warmupSeconds");

    private static final double MAX_SECONDS = 1e7;

    private CostsFile() {}

    static BiFunction<Job, Costs, Costs> read(Path file) {
        Map<String, Costs> lines =
                file.toString().toLowerCase(Locale.ROOT).endsWith(".csv") ? fromCsv(file) : fromYaml(file);
        Map<String, Costs> byModel = new HashMap<>();
        TreeMap<Integer, Costs> bySize = new TreeMap<>();
        lines.forEach((key, costs) -> {
            Matcher size = SIZE.matcher(key);
            if (size.matches()) {
                bySize.put(Integer.parseInt(size.group(1)), costs);
            } else if (byModel.put(known(key), costs) != null) {
                throw new IllegalArgumentException(file + ": '" + key + "' is given twice, under two names");
            }
        });
        return (job, own) -> {
            Costs found = byModel.get(known(job.profile().model()));
            if (found == null) {
                found = Optional.ofNullable(bySize.floorEntry(job.demand().maxGpus()))
                        .map(Map.Entry::getValue)
                        .orElse(null);
            }
            if (found == null) {
                found = byModel.get(job.jobClass().name().toLowerCase(Locale.ROOT));
            }
            return found != null ? found : byModel.getOrDefault(DEFAULT, own);
        };
    }

    /** The name the catalogue has for it, or its own. */
    private static String known(String model) {
        return ModelCatalogue.find(model, 0)
                .filter(found -> !found.isRelated())
                .map(found -> found.model().name())
                .orElse(model.toLowerCase(Locale.ROOT));
    }

    private static Map<String, Costs> fromYaml(Path file) {
        Map<String, Costs> byModel = new HashMap<>();
        YamlTree.read(file).entries().forEach((model, costs) -> {
            List<String> keys = costs.find(OLD_KEYS.get(0)).isPresent() ? OLD_KEYS : KEYS;
            costs.requireKnownKeys(keys);
            byModel.put(
                    model.toLowerCase(Locale.ROOT),
                    costs(
                            keys,
                            key -> costs.find(key)
                                    .map(c -> c.number(0, MAX_SECONDS))
                                    .orElse(0.0)));
        });
        return byModel;
    }

    private static Map<String, Costs> fromCsv(Path file) {
        Map<String, Costs> byModel = new HashMap<>();
        try (CsvReader<NamedCsvRecord> csv = CsvReader.builder().ofNamedCsvRecord(file)) {
            for (NamedCsvRecord line : csv) {
                checkHeader(file, line.getHeader());
                String at = file + ":" + line.getStartingLineNumber() + ": ";
                String model = line.getField("model").strip().toLowerCase(Locale.ROOT);
                Costs costs = costs(
                        keysOf(line.getHeader()),
                        key -> line.findField(key)
                                .filter(v -> !v.isBlank())
                                .map(v -> Quantity.number(at + key, v, 0, MAX_SECONDS))
                                .orElse(0.0));
                if (byModel.put(model, costs) != null) {
                    throw new IllegalArgumentException(at + "model '" + model + "' is given twice");
                }
            }
        } catch (CsvParseException | IOException e) {
            throw new IllegalArgumentException(file + ": cannot be read as CSV: " + e.getMessage(), e);
        }
        if (byModel.isEmpty()) {
            throw new IllegalArgumentException(file + ": names no model");
        }
        return byModel;
    }

    private static void checkHeader(Path file, List<String> header) {
        List<String> known = new ArrayList<>(keysOf(header));
        known.add(0, "model");
        for (String column : header) {
            if (!known.contains(column)) {
                throw new IllegalArgumentException(
                        file + ":1: unknown column '" + column + "'." + Suggestion.didYouMean(column, known));
            }
        }
        if (!header.contains("model")) {
            throw new IllegalArgumentException(file + ":1: column 'model' is missing");
        }
    }

    private static List<String> keysOf(List<String> header) {
        return header.contains(OLD_KEYS.get(0)) ? OLD_KEYS : KEYS;
    }

    private static Costs costs(List<String> keys, Function<String, Double> seconds) {
        long[] millis = keys.stream()
                .mapToLong(key -> Math.round(seconds.apply(key) * 1000))
                .toArray();
        return new Costs(millis[0], millis[1], millis[2], millis[3]);
    }
}
