package dev.fermata.report.summary;

import dev.fermata.core.measure.JobStatistics;
import dev.fermata.core.measure.MetricsSummary;
import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.sim.experiment.RunResult;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.Map;

/** The fields of one run, in the order that scripts rely on. New fields are added at the end. */
public final class RunFields {
    private static final int SECONDS_DECIMALS = 3;
    private static final int RATIO_DECIMALS = 6;
    private static final double MILLIS = 1000;

    private RunFields() {}

    public static Map<String, Object> of(MeasuredRun run) {
        RunResult result = run.result();
        MetricsSummary summary = run.summary();
        JobStatistics all = summary.all();
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("policy", result.policy());
        fields.put("cluster", result.cluster());
        fields.put("workload", result.workload());
        fields.put("seed", result.seed());
        fields.put("jobs", run.jobs());
        fields.put("finished", all.completed());
        fields.put("failed", summary.failed());
        fields.put("meanJctSeconds", seconds(all.jct().mean()));
        fields.put("medianJctSeconds", seconds(all.jct().median()));
        fields.put("p95JctSeconds", seconds(all.jct().p95()));
        fields.put("p99JctSeconds", seconds(all.jct().p99()));
        fields.put("maxJctSeconds", seconds(all.jct().max()));
        fields.put("meanWaitSeconds", seconds(all.waiting().mean()));
        fields.put("medianWaitSeconds", seconds(all.waiting().median()));
        fields.put("p95WaitSeconds", seconds(all.waiting().p95()));
        fields.put("meanSlowdown", ratio(all.slowdown().mean()));
        fields.put("p95Slowdown", ratio(all.slowdown().p95()));
        fields.put("makespanSeconds", seconds(summary.makespanSeconds()));
        fields.put("gpuUtilization", ratio(summary.gpuUtilization()));
        fields.put("fragmentation", ratio(summary.fragmentation()));
        fields.put("communicationShare", ratio(summary.communicationShare()));
        fields.put("jainFairness", ratio(all.jainFairness()));
        fields.put("preemptions", summary.preemptions());
        fields.put("preemptedJobs", summary.preemptedJobs());
        fields.put("overheadGpuSeconds", seconds(summary.gpuTime().overhead() / MILLIS));
        fields.put("lostGpuSeconds", seconds(summary.gpuTime().lost() / MILLIS));
        fields.put("oomFailures", summary.oomFailures());
        fields.put("lowerBoundMeanJctSeconds", seconds(result.lowerBoundMeanJctSeconds()));
        Map<String, Object> classes = new LinkedHashMap<>();
        classes.put("trial", ofClass(summary.trial()));
        classes.put("batch", ofClass(summary.batch()));
        fields.put("classes", classes);
        fields.put("events", result.events());
        fields.put("decisions", result.decisions());
        fields.put("wallSeconds", seconds(result.wallSeconds()));
        fields.put("eventsPerSecond", rounded(result.eventsPerSecond(), 0));
        fields.put("peakHeapMib", rounded(result.peakHeapMib(), 1));
        added(run, fields);
        return fields;
    }

    private static void added(MeasuredRun run, Map<String, Object> fields) {
        fields.put("estimator", run.setting().estimator());
        fields.put("costs", run.setting().workload().costs());
        fields.put("faults", run.setting().faults().text());
        fields.put("variation", run.setting().variation());
        fields.put("usefulGpuSeconds", seconds(run.summary().gpuTime().useful() / MILLIS));
        fields.put("heldGpuSeconds", seconds(run.summary().gpuTime().held() / MILLIS));
        fields.put("optimalityGap", ratio(run.optimalityGap()));
        fields.put("rejectedActions", run.result().rejectedActions());
        fields.put("estimateError", ratio(run.result().estimateError()));
        fields.put("complete", run.result().complete());
        fields.put("models", run.setting().workload().models());
        if (!run.setting().modelError().isNone()) {
            fields.put("modelError", run.setting().modelError().text());
        }
    }

    private static Map<String, Object> ofClass(JobStatistics jobs) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("jobs", jobs.jobs());
        fields.put("finished", jobs.completed());
        fields.put("meanJctSeconds", seconds(jobs.jct().mean()));
        fields.put("medianJctSeconds", seconds(jobs.jct().median()));
        fields.put("p95JctSeconds", seconds(jobs.jct().p95()));
        fields.put("meanWaitSeconds", seconds(jobs.waiting().mean()));
        fields.put("p95WaitSeconds", seconds(jobs.waiting().p95()));
        fields.put("meanSlowdown", ratio(jobs.slowdown().mean()));
        fields.put("p95Slowdown", ratio(jobs.slowdown().p95()));
        return fields;
    }

    /** Rounded, without the meaningless last digits of a double. */
    public static BigDecimal rounded(double value, int decimals) {
        BigDecimal number = BigDecimal.valueOf(value)
                .setScale(decimals, RoundingMode.HALF_EVEN)
                .stripTrailingZeros();
        return number.scale() < 0 ? number.setScale(0) : number;
    }

    private static BigDecimal seconds(double value) {
        return rounded(value, SECONDS_DECIMALS);
    }

    private static BigDecimal ratio(double value) {
        return rounded(value, RATIO_DECIMALS);
    }
}
