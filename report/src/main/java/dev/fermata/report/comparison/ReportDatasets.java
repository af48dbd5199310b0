package dev.fermata.report.comparison;

import dev.fermata.core.measure.PreemptionResult;
import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.report.summary.RunFields;
import dev.fermata.sim.recording.ClusterTimeSeries;
import dev.fermata.sim.recording.EmpiricalCdf;
import dev.fermata.sim.recording.GanttChart;
import dev.fermata.sim.recording.RecordedPreemptions;
import dev.fermata.sim.recording.RunRecording;
import dev.fermata.sim.recording.WaitDistribution;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The data of the figures as tables for notebooks: one list of records each, over all runs, in base units. */
public final class ReportDatasets {
    /** Figures of the machine, not of the run: the same command must write the same bytes. */
    private static final List<String> MACHINE_FIELDS = List.of("wallSeconds", "eventsPerSecond", "peakHeapMib");

    /** Of all tables there may be. */
    public static final List<String> NAMES = List.of("summary", "cdf", "series", "waits", "preemptions", "gantt");

    private final Comparison comparison;

    public ReportDatasets(Comparison comparison) {
        this.comparison = comparison;
    }

    /** By the name of the table; those without a line are left out. */
    public Map<String, List<Map<String, Object>>> all() {
        List<Map<String, Object>> summaries = new ArrayList<>();
        List<Map<String, Object>> curves = new ArrayList<>();
        List<Map<String, Object>> series = new ArrayList<>();
        List<Map<String, Object>> waits = new ArrayList<>();
        List<Map<String, Object>> pauses = new ArrayList<>();
        List<Map<String, Object>> intervals = new ArrayList<>();
        for (MeasuredRun run : comparison.runs()) {
            RunRecording recording = Objects.requireNonNull(run.result().recording(), "a run without a recording");
            Map<String, Object> summary = RunFields.of(run);
            MACHINE_FIELDS.forEach(summary::remove);
            summaries.add(summary);
            curve(run, "jct", recording.completionTimes(), curves);
            curve(run, "wait", recording.waitingTimes(), curves);
            series(run, recording.series(), series);
            recording.waitingByGroup().forEach(group -> waits.add(group(run, group)));
            preemptions(run, recording.preemptions(), pauses);
            GanttChart gantt = recording.gantt();
            if (gantt != null) {
                gantt.intervals().forEach(interval -> intervals.add(interval(run, gantt, interval)));
            }
        }
        Map<String, List<Map<String, Object>>> tables = new LinkedHashMap<>();
        List<List<Map<String, Object>>> lines = List.of(summaries, curves, series, waits, pauses, intervals);
        for (int i = 0; i < NAMES.size(); i++) {
            tables.put(NAMES.get(i), lines.get(i));
        }
        tables.values().removeIf(List::isEmpty);
        return tables;
    }

    private static Map<String, Object> runFields(MeasuredRun run) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("variation", run.setting().variation());
        line.put("policy", run.result().policy());
        line.put("seed", run.result().seed());
        return line;
    }

    private static void curve(MeasuredRun run, String measure, EmpiricalCdf curve, List<Map<String, Object>> lines) {
        for (int i = 0; i < curve.values().size(); i++) {
            Map<String, Object> line = runFields(run);
            line.put("measure", measure);
            line.put("seconds", seconds(curve.values().get(i)));
            line.put("share", RunFields.rounded(curve.shares().get(i), 6));
            lines.add(line);
        }
    }

    private static void series(MeasuredRun run, ClusterTimeSeries series, List<Map<String, Object>> lines) {
        for (int i = 0; i < series.size(); i++) {
            Map<String, Object> line = runFields(run);
            line.put("from_s", millis(series.fromMillis(i)));
            line.put("to_s", millis(series.toMillis(i)));
            line.put("busy_gpus", RunFields.rounded(series.busyGpus().get(i), 4));
            line.put("free_gpus", RunFields.rounded(series.freeGpus().get(i), 4));
            line.put("stranded_gpus", RunFields.rounded(series.strandedGpus().get(i), 4));
            line.put("waiting_jobs", RunFields.rounded(series.waitingJobs().get(i), 4));
            line.put("waiting_gpus", RunFields.rounded(series.waitingGpus().get(i), 4));
            line.put("utilization", RunFields.rounded(series.utilization(i), 6));
            line.put("fragmentation", RunFields.rounded(series.fragmentation(i), 6));
            lines.add(line);
        }
    }

    private static Map<String, Object> group(MeasuredRun run, WaitDistribution group) {
        Map<String, Object> line = runFields(run);
        line.put("by", group.grouping().label());
        line.put("group", group.label().replace('–', '-'));
        line.put("jobs", group.jobs());
        line.put("mean_s", seconds(group.mean()));
        line.put("min_s", seconds(group.min()));
        line.put("p5_s", seconds(group.p5()));
        line.put("p25_s", seconds(group.p25()));
        line.put("median_s", seconds(group.median()));
        line.put("p75_s", seconds(group.p75()));
        line.put("p95_s", seconds(group.p95()));
        line.put("max_s", seconds(group.max()));
        return line;
    }

    /** A row for each victim; the columns of the decision repeat on each of its rows. */
    private static void preemptions(MeasuredRun run, RecordedPreemptions preemptions, List<Map<String, Object>> lines) {
        Set<Long> sampled = new HashSet<>(preemptions.sampled());
        int number = 0;
        for (PreemptionResult p : preemptions.kept()) {
            number++;
            for (PreemptionResult.VictimResult victim : p.victims()) {
                Map<String, Object> line = runFields(run);
                line.put("decision", number);
                line.put("at_s", millis(p.atMillis()));
                line.put("victim", victim.id());
                line.put("victim_name", victim.name());
                line.put("victim_gpus", victim.gpus());
                line.put("beneficiary", p.beneficiary());
                line.put("beneficiary_name", p.beneficiaryName());
                line.put("beneficiary_gpus", p.beneficiaryGpus());
                line.put("started_s", p.startedMillis() < 0 ? "" : millis(p.startedMillis()));
                line.put("preempt_gpu_s", millis(victim.preemptGpuMillis()));
                line.put("reload_gpu_s", millis(victim.reloadGpuMillis()));
                line.put("lost_gpu_s", millis(victim.lostGpuMillis()));
                line.put("interrupted_s", millis(victim.awayMillis()));
                line.put("lost_s", millis(victim.lostMillis()));
                line.put("remaining_s", millis(victim.remainingMillis()));
                line.put("decision_cost_s", millis(p.costMillis()));
                line.put("decision_gain_s", p.isMove() ? "" : millis(p.gainMillis()));
                line.put("expected_cost_s", p.hasEstimates() ? millis(p.expectedCostMillis()) : "");
                line.put("expected_gain_s", p.hasEstimates() ? millis(p.expectedGainMillis()) : "");
                line.put("sampled", sampled.contains(p.number()));
                lines.add(line);
            }
        }
    }

    private static Map<String, Object> interval(MeasuredRun run, GanttChart gantt, GanttChart.GanttInterval interval) {
        Map<String, Object> line = runFields(run);
        line.put("job", interval.job());
        line.put("name", interval.name());
        line.put("gpus", interval.gpus());
        line.put("attempt", interval.attempt());
        line.put("from_s", millis(interval.fromMillis()));
        line.put("running_s", interval.runningMillis() < 0 ? "" : millis(interval.runningMillis()));
        line.put("stopped_s", interval.stoppedMillis() < 0 ? "" : millis(interval.stoppedMillis()));
        line.put("to_s", millis(interval.toMillis()));
        line.put("lost_s", millis(interval.lostMillis()));
        line.put("end", interval.outcome());
        line.put("beneficiary", interval.beneficiary() < 0 ? "" : interval.beneficiary());
        List<String> shown = new ArrayList<>();
        interval.rows()
                .forEach(row -> shown.add(Integer.toString(gantt.rows().get(row).gpu())));
        line.put("gpus_shown", String.join(" ", shown));
        return line;
    }

    private static Object seconds(double value) {
        return RunFields.rounded(value, 3);
    }

    private static Object millis(long value) {
        return java.math.BigDecimal.valueOf(value, 3).stripTrailingZeros().toPlainString();
    }
}
