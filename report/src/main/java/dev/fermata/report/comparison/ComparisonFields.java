package dev.fermata.report.comparison;

import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.report.comparison.Comparison.Row;
import dev.fermata.report.summary.RunFields;
import dev.fermata.sim.experiment.ConfidenceInterval;
import dev.fermata.sim.experiment.PairedComparison;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** A comparison for programs: a record for each run, or a summary for each policy and setting. */
public final class ComparisonFields {
    private static final int DECIMALS = 6;

    private ComparisonFields() {}

    /** Every run, with its change against the baseline's run of the same seed (null where that was cut off). */
    public static List<Map<String, @Nullable Object>> runs(Comparison comparison, int baseline) {
        List<Map<String, @Nullable Object>> all = new ArrayList<>();
        for (Row row : comparison.rows()) {
            for (MeasuredRun run : row.runs()) {
                Map<String, @Nullable Object> fields = new LinkedHashMap<>(RunFields.of(run));
                fields.put("baseline", run.setting().policies().get(baseline).text());
                fields.put(
                        "meanJctVsBaseline",
                        row.change(run).map(c -> RunFields.rounded(c, DECIMALS)).orElse(null));
                fields.put("varied", run.setting().varied());
                all.add(fields);
            }
        }
        return all;
    }

    /** Means over the seeds with the half widths of their 95 % intervals, and the paired change against the baseline. */
    public static List<Map<String, @Nullable Object>> summaries(Comparison comparison, int baseline) {
        return comparison.rows().stream().map(row -> summary(row, baseline)).toList();
    }

    private static Map<String, @Nullable Object> summary(Row row, int baseline) {
        MeasuredRun one = row.first();
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("policy", one.policy().text());
        fields.put("cluster", one.result().cluster());
        fields.put("workload", one.result().workload());
        fields.put("estimator", one.setting().estimator());
        fields.put("costs", one.setting().workload().costs());
        fields.put("variation", one.setting().variation());
        fields.put("seeds", row.runs().size());
        estimate(fields, "meanJctSeconds", row, MeasuredRun::meanJctSeconds);
        estimate(fields, "medianJctSeconds", row, m -> m.summary().all().jct().median());
        estimate(fields, "p95JctSeconds", row, m -> m.summary().all().jct().p95());
        estimate(fields, "p99JctSeconds", row, m -> m.summary().all().jct().p99());
        estimate(
                fields, "meanWaitSeconds", row, m -> m.summary().all().waiting().mean());
        estimate(
                fields,
                "p95TrialSlowdown",
                row,
                m -> m.summary().trial().slowdown().p95());
        estimate(fields, "makespanSeconds", row, m -> m.summary().makespanSeconds());
        estimate(fields, "gpuUtilization", row, m -> m.summary().gpuUtilization());
        estimate(fields, "fragmentation", row, m -> m.summary().fragmentation());
        estimate(fields, "preemptions", row, m -> m.summary().preemptions());
        estimate(fields, "overheadShare", row, MeasuredRun::overheadShare);
        estimate(fields, "failed", row, m -> m.summary().failed());
        estimate(fields, "lowerBoundMeanJctSeconds", row, m -> m.result().lowerBoundMeanJctSeconds());
        estimate(fields, "optimalityGap", row, MeasuredRun::optimalityGap);
        estimate(fields, "estimateError", row, m -> m.result().estimateError());
        against(fields, row, one.setting().policies().get(baseline).text());
        fields.put("varied", one.setting().varied());
        return fields;
    }

    private static void estimate(
            Map<String, @Nullable Object> fields, String name, Row row, ToDoubleFunction<MeasuredRun> value) {
        ConfidenceInterval estimate = row.estimate(value);
        fields.put(name, RunFields.rounded(estimate.mean(), DECIMALS));
        fields.put(name + "Ci95", RunFields.rounded(estimate.halfWidth(), DECIMALS));
    }

    private static void against(Map<String, @Nullable Object> fields, Row row, String baseline) {
        PairedComparison paired = row.againstBaseline();
        boolean any = paired.seedPairs() > 0;
        fields.put("baseline", baseline);
        fields.put("pairs", paired.seedPairs());
        fields.put("meanJctVsBaseline", any ? RunFields.rounded(paired.change().mean(), DECIMALS) : null);
        fields.put(
                "meanJctVsBaselineCi95", any ? RunFields.rounded(paired.change().halfWidth(), DECIMALS) : null);
        fields.put("clear", paired.isSignificant());
        fields.put("seedsBetter", paired.lower());
        fields.put("seedsWorse", paired.higher());
    }
}
