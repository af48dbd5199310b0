package dev.fermata.research.jps;

import dev.fermata.insight.format.ResultTable;
import dev.fermata.sim.workload.JpsInstances;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** The grid as tables. */
final class JpsGridTables {
    private final List<JpsGrid.SolvedInstance> solved;
    private final List<JpsGrid.JpsVariant> variants;

    JpsGridTables(List<JpsGrid.SolvedInstance> solved, List<JpsGrid.JpsVariant> variants) {
        this.solved = solved;
        this.variants = variants;
    }

    List<ResultTable> all() {
        return List.of(
                bySize("JPS above the exact optimum: mean gap by size (worst instance)", JpsGridTables::gapCell),
                bySize("Times faster than the faster exact method, by size", JpsGridTables::speedCell),
                byInstanceClass(),
                variantTable("JPS and what it is made of: gap to the optimum", name -> !name.startsWith("beta")),
                variantTable(
                        "The weight of fairness: gap to the optimum, and Jain's index",
                        name -> name.startsWith("beta")));
    }

    private ResultTable bySize(String title, Function<List<JpsGrid.SolvedInstance>, String> cell) {
        List<String> columns = new ArrayList<>(List.of("workers"));
        Arrays.stream(JpsGrid.JOBS).forEach(s -> columns.add(s + " jobs"));
        List<List<String>> rows = new ArrayList<>();
        for (int workers : JpsGrid.WORKERS) {
            List<String> row = new ArrayList<>(List.of(Integer.toString(workers)));
            for (int jobs : JpsGrid.JOBS) {
                row.add(cell.apply(filter(x -> x.jobs() == jobs && x.workers() == workers)));
            }
            rows.add(row);
        }
        return new ResultTable(title, columns, rows);
    }

    private ResultTable byInstanceClass() {
        List<List<String>> rows = new ArrayList<>();
        for (JpsInstances.InstanceClass instanceClass : JpsInstances.InstanceClass.values()) {
            rows.add(row(instanceClass.label(), filter(x -> x.instanceClass() == instanceClass)));
        }
        rows.add(row("all", solved));
        return new ResultTable(
                "By type of instance",
                List.of(
                        "instances",
                        "count",
                        "mean gap",
                        "worst gap",
                        "fairness",
                        "programme µs",
                        "bounded µs",
                        "JPS µs",
                        "times faster"),
                rows);
    }

    private static List<String> row(String name, List<JpsGrid.SolvedInstance> subset) {
        return List.of(
                name,
                Integer.toString(subset.size()),
                percent(mean(subset, x -> x.jps().gap())),
                percent(subset.stream().mapToDouble(x -> x.jps().gap()).max().orElse(0)),
                text("%.2f", mean(subset, x -> x.jps().fairness())),
                text("%.0f", 1000 * mean(subset, x -> x.millis().plain())),
                text("%.0f", 1000 * mean(subset, x -> x.millis().bounded())),
                text("%.0f", 1000 * mean(subset, x -> x.millis().jps())),
                speedCell(subset));
    }

    private ResultTable variantTable(String title, Predicate<String> condition) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(variantRow("jps (default)", JpsGrid.SolvedInstance::jps));
        for (int w = 0; w < variants.size(); w++) {
            int index = w;
            if (condition.test(variants.get(w).name())) {
                rows.add(variantRow(variants.get(w).name(), x -> x.outcomes().get(index)));
            }
        }
        return new ResultTable(title, List.of("placement", "mean gap", "worst gap", "fairness"), rows);
    }

    private List<String> variantRow(String name, Function<JpsGrid.SolvedInstance, JpsGrid.JpsOutcome> outcome) {
        return List.of(
                name,
                percent(mean(solved, x -> outcome.apply(x).gap())),
                percent(solved.stream()
                        .mapToDouble(x -> outcome.apply(x).gap())
                        .max()
                        .orElse(0)),
                text("%.3f", mean(solved, x -> outcome.apply(x).fairness())));
    }

    private static String gapCell(List<JpsGrid.SolvedInstance> subset) {
        return percent(mean(subset, x -> x.jps().gap())) + " ("
                + percent(subset.stream().mapToDouble(x -> x.jps().gap()).max().orElse(0)) + ")";
    }

    private static String speedCell(List<JpsGrid.SolvedInstance> subset) {
        return text("%.2f", speedup(subset));
    }

    /** Time of the faster exact method over time of JPS, on all these instances together. */
    static double speedup(List<JpsGrid.SolvedInstance> subset) {
        return mean(subset, x -> x.millis().exact())
                / mean(subset, x -> x.millis().jps());
    }

    /** The least speed-up of any size. */
    double minSpeedup() {
        double min = Double.POSITIVE_INFINITY;
        for (int workers : JpsGrid.WORKERS) {
            for (int jobs : JpsGrid.JOBS) {
                min = Math.min(min, speedup(filter(x -> x.jobs() == jobs && x.workers() == workers)));
            }
        }
        return min;
    }

    /** What a method other than JPS came to on one instance. */
    JpsGrid.JpsOutcome outcome(JpsGrid.SolvedInstance instance, String variant) {
        for (int w = 0; w < variants.size(); w++) {
            if (variants.get(w).name().equals(variant)) {
                return instance.outcomes().get(w);
            }
        }
        throw new IllegalArgumentException("no method is called '" + variant + "'");
    }

    private List<JpsGrid.SolvedInstance> filter(Predicate<JpsGrid.SolvedInstance> condition) {
        return solved.stream().filter(condition).toList();
    }

    static double mean(List<JpsGrid.SolvedInstance> subset, ToDoubleFunction<JpsGrid.SolvedInstance> value) {
        return subset.stream().mapToDouble(value).average().orElse(0);
    }

    static String percent(double fraction) {
        return text("%.2f %%", Math.abs(fraction) < 1e-6 ? 0.0 : 100 * fraction); // never minus nothing
    }

    static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
