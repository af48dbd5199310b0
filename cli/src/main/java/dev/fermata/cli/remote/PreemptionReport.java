package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.report.figure.ScatterPlot;
import dev.fermata.report.html.ReportOrigin;
import dev.fermata.report.page.TopicPage;
import dev.fermata.report.plot.Plot;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The preemption log as an HTML page. Figures are seconds to the millisecond, as in the history. */
final class PreemptionReport {
    private static final List<String> PLACES = List.of("cost", "gain", "expectedCost", "expectedGain");

    private final List<JsonNode> entries;
    private final List<ResultTable> totals = new ArrayList<>();
    private final List<String> notes = new ArrayList<>(List.of(
            "Cost is the completion time that the paused jobs lost: the time away and the work to repeat. Gain is the most"
                    + " completion time that the other job saved. Without the pause it would have waited for these GPUs as long"
                    + " as the paused jobs still ran (a mean weighted by GPUs); its actual wait is subtracted.",
            "Cost and gain are measured; they come from the entries of the history. Expected values are the policy's"
                    + " estimates at the decision. A gain is known when all paused jobs have ended. Until then the entry is"
                    + " OPEN, and its cost is what is known so far."));

    PreemptionReport(List<JsonNode> entries) {
        this.entries = entries;
    }

    void note(String sentence) {
        notes.add(sentence);
    }

    void addTotals(String group, JsonNode summary) {
        List<List<String>> rows = new ArrayList<>();
        summary.path("items").forEach(row -> rows.add(totalsRow(JobText.text(row, "key"), row)));
        if (rows.size() > 1) {
            rows.add(totalsRow("all", summary.path("total")));
        }
        if (!rows.isEmpty()) {
            totals.add(new ResultTable(
                    "By " + group,
                    List.of(
                            group,
                            "decisions",
                            "pauses",
                            "paid",
                            "not paid",
                            "open",
                            "declined",
                            "cost s",
                            "gain s",
                            "expected cost s",
                            "expected gain s",
                            "GPU-s"),
                    rows));
        }
    }

    private static List<String> totalsRow(String key, JsonNode row) {
        List<String> cells = new ArrayList<>(List.of(key.isEmpty() ? "–" : key));
        for (String count : List.of("preemptions", "preemptedJobs", "paid", "notPaid", "open", "declined")) {
            cells.add(JobText.text(row, count));
        }
        for (String part : PLACES) {
            cells.add(seconds(row, part + "Seconds"));
        }
        cells.add(seconds(row, "gpuSeconds"));
        return cells;
    }

    String html(ReportOrigin origin) {
        List<ResultTable> tables = new ArrayList<>();
        add(tables, preemptionsTable());
        add(tables, declinedTable());
        return new TopicPage("Fermata: the preemption log", lead())
                .withSheets("sums", "Sums", totals)
                .with("pictures", "Gain and cost", plots())
                .withSheets("entries", "Entries", tables)
                .withParagraphs("notes", "Notes", notes)
                .html(origin);
    }

    private static void add(List<ResultTable> tables, ResultTable sheet) {
        if (!sheet.rows().isEmpty()) {
            tables.add(sheet);
        }
    }

    private String lead() {
        return entries.isEmpty()
                ? "No job was paused, and no pause was declined."
                : "From " + JobText.text(entries.get(entries.size() - 1), "at") + " to "
                        + JobText.text(entries.get(0), "at") + ".";
    }

    private static boolean hasOutcome(JsonNode entry, String outcome) {
        return JobText.text(entry, "outcome").equals(outcome);
    }

    /** A row for each job that was paused; the columns of the decision repeat on each of its rows. */
    private ResultTable preemptionsTable() {
        List<List<String>> rows = new ArrayList<>();
        for (JsonNode entry : entries) {
            for (JsonNode victim : entry.path("victims")) {
                rows.add(List.of(
                        JobText.text(entry, "number"),
                        JobText.text(entry, "at"),
                        named(victim),
                        hasOutcome(entry, "MOVED") ? "other GPUs" : named(entry.path("beneficiary")),
                        JobText.text(victim, "gpus"),
                        seconds(victim, "preemptSeconds"),
                        seconds(victim, "reloadSeconds"),
                        seconds(victim, "lostSeconds"),
                        seconds(victim, "interruptedSeconds"),
                        seconds(entry, "costSeconds"),
                        seconds(entry, "gainSeconds"),
                        seconds(entry, "expectedCostSeconds"),
                        seconds(entry, "expectedGainSeconds"),
                        JobText.text(entry, "outcome")));
            }
        }
        return new ResultTable(
                "Every pause, newest first",
                List.of(
                        "number",
                        "at",
                        "paused",
                        "for",
                        "GPUs",
                        "pause s",
                        "reload s",
                        "lost s",
                        "away s",
                        "cost s",
                        "gain s",
                        "expected cost s",
                        "expected gain s",
                        "outcome"),
                rows);
    }

    private ResultTable declinedTable() {
        List<List<String>> rows = new ArrayList<>();
        for (JsonNode entry : entries) {
            if (hasOutcome(entry, "DECLINED")) {
                rows.add(List.of(
                        JobText.text(entry, "number"),
                        JobText.text(entry, "at"),
                        named(entry.path("beneficiary")),
                        JobText.text(entry, "victimCount"),
                        seconds(entry, "expectedCostSeconds"),
                        seconds(entry, "expectedGainSeconds"),
                        seconds(entry, "waitedSeconds")));
            }
        }
        return new ResultTable(
                "Pauses that were not worth it, newest first",
                List.of("number", "at", "for", "would pause", "expected cost s", "expected gain s", "then waited s"),
                rows);
    }

    private static String named(JsonNode party) {
        String name = JobText.text(party, "name");
        return JobText.text(party, "job") + (name.isEmpty() ? "" : " " + name);
    }

    private List<Plot> plots() {
        List<Plot> plots = new ArrayList<>();
        plot(
                plots,
                "measured",
                "Gain and cost, measured",
                "The outcome of each settled decision. A point at 0 gained nothing or less.",
                List.of("PAID", "NOT_PAID"),
                "costSeconds",
                "gainSeconds");
        plot(
                plots,
                "expected",
                "Gain and cost, expected",
                "Expected gain and cost of each decision that the policy weighed. Those below the line were declined.",
                List.of("PAID", "NOT_PAID", "OPEN", "DECLINED"),
                "expectedCostSeconds",
                "expectedGainSeconds");
        return plots;
    }

    private void plot(
            List<Plot> plots, String name, String title, String what, List<String> outcomes, String cost, String gain) {
        List<ScatterPlot.Cloud> clouds = new ArrayList<>();
        for (String outcome : outcomes) {
            Predicate<JsonNode> shown =
                    e -> hasOutcome(e, outcome) && PreemptionText.isKnown(e, cost) && PreemptionText.isKnown(e, gain);
            List<ScatterPlot.CostGainPoint> points = entries.stream()
                    .filter(shown)
                    .map(e -> new ScatterPlot.CostGainPoint(
                            e.path(cost).asDouble(), e.path(gain).asDouble()))
                    .toList();
            if (!points.isEmpty()) {
                clouds.add(new ScatterPlot.Cloud(outcome, points));
            }
        }
        if (!clouds.isEmpty()) {
            plots.add(new ScatterPlot(name, title, what, "cost", "gain", clouds));
        }
    }

    private static String seconds(JsonNode from, String field) {
        return PreemptionText.isKnown(from, field)
                ? BigDecimal.valueOf(from.path(field).asDouble())
                        .setScale(3, RoundingMode.HALF_EVEN)
                        .toPlainString()
                : "–";
    }
}
