package dev.fermata.sim.reproduce.jps;

import dev.fermata.sim.reproduce.Sheet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** The grid as tables. */
final class GridSheets {
    private final List<Grid.Solved> solved;
    private final List<Grid.Way> ways;

    GridSheets(List<Grid.Solved> solved, List<Grid.Way> ways) {
        this.solved = solved;
        this.ways = ways;
    }

    List<Sheet> all() {
        return List.of(
                bySize("JPS above the exact optimum: mean gap by size (worst instance)", GridSheets::gapCell),
                bySize("Times faster than the solver, by size", GridSheets::speedCell),
                byKind(),
                ways("JPS and what it is made of: gap to the optimum", name -> !name.startsWith("beta")),
                ways("The weight of fairness: gap to the optimum, and Jain's index", name -> name.startsWith("beta")));
    }

    private Sheet bySize(String title, Function<List<Grid.Solved>, String> cell) {
        List<String> columns = new ArrayList<>(List.of("workers"));
        Arrays.stream(Grid.JOBS).forEach(s -> columns.add(s + " jobs"));
        List<List<String>> rows = new ArrayList<>();
        for (int workers : Grid.WORKERS) {
            List<String> row = new ArrayList<>(List.of(Integer.toString(workers)));
            for (int jobs : Grid.JOBS) {
                row.add(cell.apply(where(x -> x.jobs() == jobs && x.workers() == workers)));
            }
            rows.add(row);
        }
        return new Sheet(title, columns, rows);
    }

    private Sheet byKind() {
        List<List<String>> rows = new ArrayList<>();
        for (Instances.Kind kind : Instances.Kind.values()) {
            rows.add(row(kind.label(), where(x -> x.kind() == kind)));
        }
        rows.add(row("all", solved));
        return new Sheet(
                "By kind of instance",
                List.of(
                        "instances",
                        "count",
                        "mean gap",
                        "worst gap",
                        "fairness",
                        "solver ms",
                        "JPS µs",
                        "times faster"),
                rows);
    }

    private static List<String> row(String name, List<Grid.Solved> some) {
        return List.of(
                name,
                Integer.toString(some.size()),
                percent(mean(some, x -> x.jps().gap())),
                percent(some.stream().mapToDouble(x -> x.jps().gap()).max().orElse(0)),
                text("%.2f", mean(some, x -> x.jps().fairness())),
                text("%.1f", mean(some, Grid.Solved::solverMillis)),
                text("%.0f", 1000 * mean(some, Grid.Solved::placeMillis)),
                speedCell(some));
    }

    private Sheet ways(String title, Predicate<String> which) {
        List<List<String>> rows = new ArrayList<>();
        rows.add(wayRow("jps (default)", Grid.Solved::jps));
        for (int w = 0; w < ways.size(); w++) {
            int index = w;
            if (which.test(ways.get(w).name())) {
                rows.add(wayRow(ways.get(w).name(), x -> x.outcomes().get(index)));
            }
        }
        return new Sheet(title, List.of("placement", "mean gap", "worst gap", "fairness"), rows);
    }

    private List<String> wayRow(String name, Function<Grid.Solved, Grid.Outcome> outcome) {
        return List.of(
                name,
                percent(mean(solved, x -> outcome.apply(x).gap())),
                percent(solved.stream()
                        .mapToDouble(x -> outcome.apply(x).gap())
                        .max()
                        .orElse(0)),
                text("%.3f", mean(solved, x -> outcome.apply(x).fairness())));
    }

    private static String gapCell(List<Grid.Solved> some) {
        return percent(mean(some, x -> x.jps().gap())) + " ("
                + percent(some.stream().mapToDouble(x -> x.jps().gap()).max().orElse(0)) + ")";
    }

    private static String speedCell(List<Grid.Solved> some) {
        return text("%.0f", speedup(some));
    }

    /** Time of the solver over time of JPS, on all these instances together. */
    static double speedup(List<Grid.Solved> some) {
        return mean(some, Grid.Solved::solverMillis) / mean(some, Grid.Solved::placeMillis);
    }

    /** The least speed-up of any size. */
    double leastSpeedup() {
        double least = Double.POSITIVE_INFINITY;
        for (int workers : Grid.WORKERS) {
            for (int jobs : Grid.JOBS) {
                least = Math.min(least, speedup(where(x -> x.jobs() == jobs && x.workers() == workers)));
            }
        }
        return least;
    }

    private List<Grid.Solved> where(Predicate<Grid.Solved> which) {
        return solved.stream().filter(which).toList();
    }

    static double mean(List<Grid.Solved> some, ToDoubleFunction<Grid.Solved> value) {
        return some.stream().mapToDouble(value).average().orElse(0);
    }

    static String percent(double fraction) {
        return text("%.2f %%", Math.abs(fraction) < 1e-6 ? 0.0 : 100 * fraction); // never minus nothing
    }

    static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
