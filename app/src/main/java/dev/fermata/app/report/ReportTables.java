package dev.fermata.app.report;

import dev.fermata.app.run.Measured;
import dev.fermata.core.measure.Preemption;
import dev.fermata.sim.portrait.Curve;
import dev.fermata.sim.portrait.Gantt;
import dev.fermata.sim.portrait.Group;
import dev.fermata.sim.portrait.Portrait;
import dev.fermata.sim.portrait.Preemptions;
import dev.fermata.sim.portrait.Series;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** What the pictures show as tables for notebooks: a list of records each, all runs in one, in base units. */
public final class ReportTables {
    /** Figures of the machine, not of the run: the same command must write the same bytes. */
    private static final List<String> OF_THE_MACHINE = List.of("wallSeconds", "eventsPerSecond", "peakHeapMib");

    /** Of all tables there may be. */
    static final List<String> NAMES = List.of("summary", "cdf", "series", "waits", "pauses", "gantt");

    private final Comparison comparison;

    public ReportTables(Comparison comparison) {
        this.comparison = comparison;
    }

    /** By the name of the table; those without a line are left out. */
    public Map<String, List<Map<String, Object>>> all() {
        List<Map<String, Object>> summaries = new ArrayList<>();
        List<Map<String, Object>> curves = new ArrayList<>();
        List<Map<String, Object>> series = new ArrayList<>();
        List<Map<String, Object>> waits = new ArrayList<>();
        List<Map<String, Object>> pauses = new ArrayList<>();
        List<Map<String, Object>> stays = new ArrayList<>();
        for (Measured run : comparison.runs()) {
            Portrait portrait = Objects.requireNonNull(run.result().portrait(), "a run without a portrait");
            Map<String, Object> summary = RunFields.of(run);
            OF_THE_MACHINE.forEach(summary::remove);
            summaries.add(summary);
            curve(run, "jct", portrait.jct(), curves);
            curve(run, "wait", portrait.waiting(), curves);
            series(run, portrait.series(), series);
            portrait.waits().forEach(group -> waits.add(group(run, group)));
            pauses(run, portrait.preemptions(), pauses);
            Gantt gantt = portrait.gantt();
            if (gantt != null) {
                gantt.stays().forEach(stay -> stays.add(stay(run, gantt, stay)));
            }
        }
        Map<String, List<Map<String, Object>>> tables = new LinkedHashMap<>();
        List<List<Map<String, Object>>> lines = List.of(summaries, curves, series, waits, pauses, stays);
        for (int i = 0; i < NAMES.size(); i++) {
            tables.put(NAMES.get(i), lines.get(i));
        }
        tables.values().removeIf(List::isEmpty);
        return tables;
    }

    private static Map<String, Object> line(Measured run) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("variation", run.setting().variation());
        line.put("policy", run.result().policy());
        line.put("seed", run.result().seed());
        return line;
    }

    private static void curve(Measured run, String measure, Curve curve, List<Map<String, Object>> lines) {
        for (int i = 0; i < curve.values().size(); i++) {
            Map<String, Object> line = line(run);
            line.put("measure", measure);
            line.put("seconds", seconds(curve.values().get(i)));
            line.put("share", RunFields.rounded(curve.shares().get(i), 6));
            lines.add(line);
        }
    }

    private static void series(Measured run, Series series, List<Map<String, Object>> lines) {
        for (int i = 0; i < series.size(); i++) {
            Map<String, Object> line = line(run);
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

    private static Map<String, Object> group(Measured run, Group group) {
        Map<String, Object> line = line(run);
        line.put("by", group.kind().label());
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

    /** A line for each victim; what belongs to the decision stands on each of its lines. */
    private static void pauses(Measured run, Preemptions preemptions, List<Map<String, Object>> lines) {
        Set<Long> sampled = new HashSet<>(preemptions.sampled());
        int number = 0;
        for (Preemption p : preemptions.kept()) {
            number++;
            for (Preemption.Victim victim : p.victims()) {
                Map<String, Object> line = line(run);
                line.put("decision", number);
                line.put("at_s", millis(p.atMillis()));
                line.put("victim", victim.id());
                line.put("victim_name", victim.name());
                line.put("victim_gpus", victim.gpus());
                line.put("beneficiary", p.beneficiary());
                line.put("beneficiary_name", p.beneficiaryName());
                line.put("beneficiary_gpus", p.beneficiaryGpus());
                line.put("started_s", p.startedMillis() < 0 ? "" : millis(p.startedMillis()));
                line.put("pause_gpu_s", millis(victim.pauseGpuMillis()));
                line.put("reload_gpu_s", millis(victim.reloadGpuMillis()));
                line.put("lost_gpu_s", millis(victim.lostGpuMillis()));
                line.put("away_s", millis(victim.awayMillis()));
                line.put("lost_s", millis(victim.lostMillis()));
                line.put("remaining_s", millis(victim.remainingMillis()));
                line.put("decision_cost_s", millis(p.costMillis()));
                line.put("decision_gain_s", p.move() ? "" : millis(p.gainMillis()));
                line.put("expected_cost_s", p.weighed() ? millis(p.expectedCostMillis()) : "");
                line.put("expected_gain_s", p.weighed() ? millis(p.expectedGainMillis()) : "");
                line.put("sampled", sampled.contains(p.number()));
                lines.add(line);
            }
        }
    }

    private static Map<String, Object> stay(Measured run, Gantt gantt, Gantt.Stay stay) {
        Map<String, Object> line = line(run);
        line.put("job", stay.job());
        line.put("name", stay.name());
        line.put("gpus", stay.gpus());
        line.put("attempt", stay.attempt());
        line.put("from_s", millis(stay.fromMillis()));
        line.put("running_s", stay.runningMillis() < 0 ? "" : millis(stay.runningMillis()));
        line.put("stopped_s", stay.stoppedMillis() < 0 ? "" : millis(stay.stoppedMillis()));
        line.put("to_s", millis(stay.toMillis()));
        line.put("lost_s", millis(stay.lostMillis()));
        line.put("end", stay.end());
        line.put("paused_for", stay.pausedFor() < 0 ? "" : stay.pausedFor());
        List<String> shown = new ArrayList<>();
        stay.rows()
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
