package dev.fermata.sim.reproduce.fitgpp;

import dev.fermata.core.measure.Spread;
import dev.fermata.sim.experiment.Estimate;
import dev.fermata.sim.reproduce.Sheet;
import dev.fermata.sim.reproduce.fitgpp.FitGppReproduction.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** The tables of the chapter: means over seeds. */
final class FitGppSheets {
    private final FitGppReproduction paper;
    private final Outcomes outcomes;

    FitGppSheets(FitGppReproduction paper, Outcomes outcomes) {
        this.paper = paper;
        this.outcomes = outcomes;
    }

    List<Sheet> all() {
        List<Sheet> sheets = new ArrayList<>();
        for (Setting setting : FitGppReproduction.SETTINGS) {
            sheets.add(sheet(
                    setting.name() + ", " + paper.workload(setting),
                    "policy",
                    FitGppReproduction.policies(),
                    policy -> measures(paper.workload(setting), policy)));
        }
        sheets.add(sweep("weight of grace against size", FitGppReproduction.WEIGHTS));
        sheets.add(sweep("pauses a batch job may suffer", FitGppReproduction.BUDGETS));
        sheets.add(changes());
        sheets.add(tight());
        return sheets;
    }

    private static final List<String> MEASURES = List.of(
            "trial slowdown 50/95/99",
            "batch slowdown 50/95/99",
            "min to restart 50/95",
            "after leaving 50/95",
            "batch jobs paused",
            "pauses");

    private Sheet sweep(String title, List<String> values) {
        String workload = paper.workload(FitGppReproduction.LARGE_TRIALS);
        return sheet(
                "FitGpp's " + title + ", " + FitGppReproduction.LARGE_TRIALS.name(),
                "value",
                values,
                value -> measures(workload, FitGppReproduction.PAPER + ":" + value));
    }

    private static Sheet sheet(String title, String first, List<String> names, Function<String, List<String>> cells) {
        List<String> columns = new ArrayList<>(List.of(first));
        columns.addAll(MEASURES);
        List<List<String>> rows = new ArrayList<>();
        for (String name : names) {
            List<String> row = new ArrayList<>(List.of(name));
            row.addAll(cells.apply(name));
            rows.add(row);
        }
        return new Sheet(title, columns, rows);
    }

    private List<String> measures(String workload, String policy) {
        boolean pauses = outcomes.mean(workload, policy, Outcome::preemptions) > 0;
        return List.of(
                slowdowns(workload, policy, Outcome::trial),
                slowdowns(workload, policy, Outcome::batch),
                pauses ? restarts(workload, policy, Outcome::sinceAsked) : "-",
                pauses ? restarts(workload, policy, Outcome::sinceLeft) : "-",
                String.format(Locale.ROOT, "%.1f %%", 100 * outcomes.mean(workload, policy, Outcome::pausedShare)),
                String.format(Locale.ROOT, "%.0f", outcomes.mean(workload, policy, Outcome::preemptions)));
    }

    private String slowdowns(String workload, String policy, Function<Outcome, Spread> of) {
        return joined(
                workload,
                policy,
                o -> of.apply(o).median(),
                o -> of.apply(o).p95(),
                o -> of.apply(o).p99());
    }

    private String restarts(String workload, String policy, Function<Outcome, Spread> of) {
        return joined(
                workload, policy, o -> of.apply(o).median(), o -> of.apply(o).p95());
    }

    @SafeVarargs
    private String joined(String workload, String policy, ToDoubleFunction<Outcome>... measures) {
        List<String> parts = new ArrayList<>();
        for (ToDoubleFunction<Outcome> measure : measures) {
            parts.add(String.format(Locale.ROOT, "%.2f", outcomes.mean(workload, policy, measure)));
        }
        return String.join(" / ", parts);
    }

    private Sheet changes() {
        List<Setting> settings = new ArrayList<>(List.of(FitGppReproduction.MAIN));
        settings.addAll(FitGppReproduction.CHANGES);
        return against(
                "FitGpp against blocking fifo, the main setting with one thing changed",
                settings,
                FitGppReproduction.PAPER,
                FitGppReproduction.FIFO);
    }

    private Sheet tight() {
        return against(
                "With every job where it fits tightest (place=consolidate), which drains faster: demand is below 2.0",
                FitGppReproduction.SETTINGS,
                FitGppReproduction.TIGHT,
                FitGppReproduction.TIGHT_FIFO);
    }

    private Sheet against(String title, List<Setting> settings, String policy, String fifo) {
        List<List<String>> rows = new ArrayList<>();
        for (Setting setting : settings) {
            String workload = paper.workload(setting);
            rows.add(List.of(
                    setting.name(),
                    joined(workload, fifo, Outcome::trialTail),
                    joined(workload, policy, Outcome::trialTail),
                    change(outcomes.reduction(workload, policy, fifo, Outcome::trialTail)),
                    change(outcomes.reduction(workload, policy, fifo, Outcome::batchMedian)),
                    change(outcomes.reduction(workload, policy, fifo, Outcome::batchTail)),
                    joined(workload, policy, o -> o.sinceAsked().median())));
        }
        return new Sheet(
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

    private static String change(Estimate reduced) {
        return String.format(Locale.ROOT, "%+.1f %%", -100 * reduced.mean());
    }
}
