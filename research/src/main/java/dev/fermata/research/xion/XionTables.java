package dev.fermata.research.xion;

import dev.fermata.core.measure.MetricsSummary;
import dev.fermata.insight.format.ResultTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The tables of the chapter: means over the samples. */
final class XionTables {
    private static final double DAY_SECONDS = 86_400;

    private XionTables() {}

    static ResultTable setting(String title, XionResults results, List<String> policies) {
        List<List<String>> rows = new ArrayList<>();
        for (String policy : policies) {
            rows.add(List.of(
                    policy,
                    number(results.mean(policy, XionResults.JCT)),
                    number(results.mean(policy, XionResults.WAIT)),
                    number(results.mean(policy, s -> s.all().jct().p95())),
                    number(results.mean(policy, MetricsSummary::makespanSeconds)),
                    number(results.mean(policy, MetricsSummary::preemptions)),
                    number(results.mean(
                            policy,
                            s -> s.gpuTime().overhead()
                                    / 1000.0
                                    / Math.max(1, s.all().jobs()))),
                    percent(-results.jctReduction(policy, XionReproduction.SRTF).mean())));
        }
        return new ResultTable(
                title,
                List.of(
                        "policy",
                        "mean JCT s",
                        "mean wait s",
                        "p95 JCT s",
                        "makespan s",
                        "preemptions",
                        "overhead GPU-s/job",
                        "JCT vs srtf"),
                rows);
    }

    static ResultTable sweep(Map<XionSetting, XionResults> bySetting) {
        List<String> policies =
                List.of("fifo", "sjf", XionReproduction.SRTF, "srsf", XionReproduction.PAPER, XionReproduction.FERMATA);
        List<List<String>> rows = new ArrayList<>();
        for (double scale : XionSetting.SCALES) {
            XionResults results = java.util.Objects.requireNonNull(bySetting.get(XionSetting.scaled(scale)));
            List<String> row = new ArrayList<>(List.of("x" + number(scale)));
            policies.forEach(policy -> row.add(number(results.mean(policy, XionResults.JCT))));
            row.add(percent(-results.jctReduction(XionReproduction.PAPER, XionReproduction.SRTF)
                    .mean()));
            rows.add(row);
        }
        List<String> columns = new ArrayList<>(List.of("costs"));
        columns.addAll(policies);
        columns.add("xion vs srtf");
        return new ResultTable(
                "Mean JCT in seconds as pause and load grow, " + XionSetting.LARGE.cluster() + ", "
                        + XionSetting.LARGE.workload(),
                columns,
                rows);
    }

    /** Mean completion times in days, a row for each trace. */
    static ResultTable traces(List<String> names, XionResults results, List<String> policies) {
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            List<String> row = new ArrayList<>(List.of(names.get(i)));
            for (String policy : policies) {
                row.add(days(XionResults.JCT.applyAsDouble(results.of(policy).get(i))));
            }
            rows.add(row);
        }
        List<String> columns = new ArrayList<>(List.of("trace"));
        columns.addAll(policies);
        return new ResultTable(
                "The first author's traces on " + XionTraces.CLUSTER + ": mean JCT in days", columns, rows);
    }

    /** Our mean completion times next to those the author's simulator logged on one trace. */
    static ResultTable logged(String trace, Map<String, Double> loggedSeconds, XionResults results, int index) {
        List<List<String>> rows = new ArrayList<>();
        loggedSeconds.forEach((policy, logged) -> {
            double ours = XionResults.JCT.applyAsDouble(results.of(policy).get(index));
            rows.add(List.of(policy, days(ours), days(logged), percent(ours / logged - 1)));
        });
        return new ResultTable(
                "The simulator against the author's log, trace " + trace + ": mean JCT in days",
                List.of("policy", "here", "logged", "difference"),
                rows);
    }

    private static String days(double seconds) {
        return String.format(Locale.ROOT, "%.1f", seconds / DAY_SECONDS);
    }

    static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e6
                ? Long.toString((long) value)
                : String.format(Locale.ROOT, Math.abs(value) < 10 ? "%.2f" : "%,.0f", value);
    }

    static String percent(double fraction) {
        return String.format(Locale.ROOT, "%+.1f %%", 100 * fraction + 0.0); // never minus nothing
    }
}
