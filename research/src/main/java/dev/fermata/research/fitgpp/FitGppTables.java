package dev.fermata.research.fitgpp;

import dev.fermata.core.measure.Distribution;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.research.Measurement;
import dev.fermata.research.fitgpp.FitGppReproduction.FitGppSetting;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The tables of the chapter: means over seeds. */
final class FitGppTables {
    private final FitGppReproduction paper;
    private final FitGppResults outcomes;

    FitGppTables(FitGppReproduction paper, FitGppResults outcomes) {
        this.paper = paper;
        this.outcomes = outcomes;
    }

    List<ResultTable> all() {
        List<ResultTable> tables = new ArrayList<>();
        for (FitGppSetting setting : FitGppReproduction.SETTINGS) {
            tables.add(table(
                    setting.name() + ", " + paper.workload(setting),
                    "policy",
                    FitGppReproduction.policies(),
                    policy -> measures(paper.workload(setting), policy)));
        }
        tables.add(sweep("weight of grace against size", FitGppReproduction.WEIGHTS));
        tables.add(sweep("pauses a batch job may suffer", FitGppReproduction.BUDGETS));
        tables.add(changes());
        tables.add(tight());
        return tables;
    }

    private static final List<String> MEASURES = List.of(
            "trial slowdown 50/95/99",
            "batch slowdown 50/95/99",
            "min to restart 50/95",
            "after leaving 50/95",
            "batch jobs paused",
            "pauses");

    private ResultTable sweep(String title, List<String> values) {
        String workload = paper.workload(FitGppReproduction.LARGE_TRIALS);
        return table(
                "FitGpp's " + title + ", " + FitGppReproduction.LARGE_TRIALS.name(),
                "value",
                values,
                value -> measures(workload, FitGppReproduction.PAPER + ":" + value));
    }

    private static ResultTable table(
            String title, String first, List<String> names, Function<String, List<String>> cells) {
        List<String> columns = new ArrayList<>(List.of(first));
        columns.addAll(MEASURES);
        List<List<String>> rows = new ArrayList<>();
        for (String name : names) {
            List<String> row = new ArrayList<>(List.of(name));
            row.addAll(cells.apply(name));
            rows.add(row);
        }
        return new ResultTable(title, columns, rows);
    }

    private List<String> measures(String workload, String policy) {
        boolean preempts = outcomes.mean(workload, policy, FitGppOutcome::preemptions) > 0;
        return List.of(
                slowdowns(workload, policy, FitGppOutcome::trial),
                slowdowns(workload, policy, FitGppOutcome::batch),
                preempts ? restarts(workload, policy, FitGppOutcome::sinceRequest) : "-",
                preempts ? restarts(workload, policy, FitGppOutcome::sinceRelease) : "-",
                String.format(
                        Locale.ROOT, "%.1f %%", 100 * outcomes.mean(workload, policy, FitGppOutcome::preemptedShare)),
                String.format(Locale.ROOT, "%.0f", outcomes.mean(workload, policy, FitGppOutcome::preemptions)));
    }

    private String slowdowns(String workload, String policy, Function<FitGppOutcome, Distribution> of) {
        return joined(
                workload,
                policy,
                o -> of.apply(o).median(),
                o -> of.apply(o).p95(),
                o -> of.apply(o).p99());
    }

    private String restarts(String workload, String policy, Function<FitGppOutcome, Distribution> of) {
        return joined(
                workload, policy, o -> of.apply(o).median(), o -> of.apply(o).p95());
    }

    @SafeVarargs
    private String joined(String workload, String policy, ToDoubleFunction<FitGppOutcome>... measures) {
        List<String> parts = new ArrayList<>();
        for (ToDoubleFunction<FitGppOutcome> measure : measures) {
            parts.add(String.format(Locale.ROOT, "%.2f", outcomes.mean(workload, policy, measure)));
        }
        return String.join(" / ", parts);
    }

    private ResultTable changes() {
        List<FitGppSetting> settings = new ArrayList<>(List.of(FitGppReproduction.MAIN));
        settings.addAll(FitGppReproduction.CHANGES);
        return comparison(
                "FitGpp against blocking fifo, the main setting with one thing changed",
                settings,
                FitGppReproduction.PAPER,
                FitGppReproduction.FIFO);
    }

    private ResultTable tight() {
        return comparison(
                "With every job where it fits tightest (place=consolidate), which drains faster: demand is below 2.0",
                FitGppReproduction.SETTINGS,
                FitGppReproduction.TIGHT,
                FitGppReproduction.TIGHT_FIFO);
    }

    private ResultTable comparison(String title, List<FitGppSetting> settings, String policy, String fifo) {
        List<List<String>> rows = new ArrayList<>();
        for (FitGppSetting setting : settings) {
            String workload = paper.workload(setting);
            rows.add(List.of(
                    setting.name(),
                    joined(workload, fifo, FitGppOutcome::trialTail),
                    joined(workload, policy, FitGppOutcome::trialTail),
                    change(outcomes.reduction(workload, policy, fifo, FitGppOutcome::trialTail)),
                    change(outcomes.reduction(workload, policy, fifo, FitGppOutcome::batchMedian)),
                    change(outcomes.reduction(workload, policy, fifo, FitGppOutcome::batchTail)),
                    joined(workload, policy, o -> o.sinceRequest().median())));
        }
        return new ResultTable(
                title,
                List.of(
                        "setting",
                        "trial p95, fifo",
                        "trial p95, fitgpp",
                        "change",
                        "batch median",
                        "batch p95",
                        "min to restart"),
                rows);
    }

    private static String change(Measurement reduced) {
        return String.format(Locale.ROOT, "%+.1f %%", -100 * reduced.mean());
    }
}
