package dev.fermata.report.comparison;

import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.figure.SensitivityPlot;
import dev.fermata.report.plot.Plot;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** The figures of completion and waiting against the varied key. */
public final class SensitivityFigures {
    private static final String ESTIMATOR = "estimator";

    private SensitivityFigures() {}

    /** Against the first key that was varied; nothing where none was. */
    public static List<Plot> of(Comparison comparison) {
        if (!comparison.varied()) {
            return List.of();
        }
        String key = comparison
                .groups()
                .get(0)
                .setting()
                .varied()
                .keySet()
                .iterator()
                .next();
        List<String> texts = comparison.groups().stream()
                .map(group -> value(group, key))
                .distinct()
                .toList();
        SensitivityPlot.KeyValues values = SensitivityPlot.KeyValues.of(key, texts);
        String seeds = comparison.seeds().size() > 1 ? " Whiskers: 95 % confidence over the seeds." : "";
        List<Plot> plots = new ArrayList<>();
        plots.add(new SensitivityPlot(
                "sensitivity-jct",
                "Mean completion time against " + key,
                "Lower is better; the scale of times is logarithmic." + seeds,
                "mean JCT",
                values,
                lines(comparison, key, MeasuredRun::meanJctSeconds)));
        if (key.equals(ESTIMATOR)) {
            Map<String, Double> factors = factors(comparison, texts);
            String words = factors.entrySet().stream()
                    .map(e -> e.getKey() + " " + HumanFormat.number(e.getValue()) + "×")
                    .collect(Collectors.joining(", "));
            plots.add(new SensitivityPlot(
                    "sensitivity-error",
                    "Mean completion time against how wrong estimates were",
                    "The farther to the right, the farther the median estimate was from the truth when jobs were submitted ("
                            + words + "). Lower is better; the scale of times is logarithmic." + seeds,
                    "mean JCT",
                    new SensitivityPlot.KeyValues("how wrong estimates were", texts, List.copyOf(factors.values())),
                    lines(comparison, key, MeasuredRun::meanJctSeconds)));
        }
        plots.add(new SensitivityPlot(
                "sensitivity-wait",
                "Mean wait against " + key,
                "Time in the queue; lower is better, the scale of times is logarithmic." + seeds,
                "mean wait",
                values,
                lines(comparison, key, m -> m.summary().all().waiting().mean())));
        return plots;
    }

    /** The mean error factor of each estimator, over policies and seeds. */
    private static Map<String, Double> factors(Comparison comparison, List<String> estimators) {
        Map<String, Double> factors = new LinkedHashMap<>();
        for (String estimator : estimators) {
            double error = comparison.groups().stream()
                    .filter(group -> value(group, ESTIMATOR).equals(estimator))
                    .flatMap(group -> group.rows().stream())
                    .flatMap(row -> row.runs().stream())
                    .mapToDouble(run -> run.result().estimateError())
                    .average()
                    .orElse(0);
            factors.put(estimator, StrictMath.exp(error));
        }
        return factors;
    }

    private static String value(Comparison.Group group, String key) {
        return group.setting().varied().getOrDefault(key, "");
    }

    /** Where more keys were varied, each of their combinations has lines of its own. */
    private static List<SensitivityPlot.SensitivityLine> lines(
            Comparison comparison, String key, ToDoubleFunction<MeasuredRun> measure) {
        Map<String, List<Comparison.Group>> byRest = new LinkedHashMap<>();
        for (Comparison.Group group : comparison.groups()) {
            Map<String, String> rest = new LinkedHashMap<>(group.setting().varied());
            rest.remove(key);
            String words = rest.isEmpty() ? "" : " " + rest.toString().replaceAll("[{}]", "");
            byRest.computeIfAbsent(words, r -> new ArrayList<>()).add(group);
        }
        List<SensitivityPlot.SensitivityLine> lines = new ArrayList<>();
        byRest.forEach((rest, groups) -> {
            for (int r = 0; r < groups.get(0).rows().size(); r++) {
                int row = r;
                List<Comparison.Row> same =
                        groups.stream().map(group -> group.rows().get(row)).toList();
                boolean oneLabel =
                        same.stream().map(Comparison.Row::label).distinct().count() == 1;
                String label = oneLabel
                        ? same.get(0).label()
                        : same.get(0).policy().info().name();
                lines.add(new SensitivityPlot.SensitivityLine(
                        label + rest,
                        same.stream().map(s -> s.estimate(measure)).toList()));
            }
        });
        return lines;
    }
}
