package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.report.figure.ScatterPlot;
import dev.fermata.app.report.html.Origin;
import dev.fermata.app.report.html.TopicPage;
import dev.fermata.app.report.plot.Plot;
import dev.fermata.sim.reproduce.Sheet;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The preemption ledger as a page. Figures are seconds to the millisecond, as the history has them. */
final class PreemptionReport {
    private static final List<String> PLACES = List.of("cost", "gain", "expectedCost", "expectedGain");

    private final List<JsonNode> entries;
    private final List<Sheet> sums = new ArrayList<>();
    private final List<String> notes = new ArrayList<>(List.of(
            "Cost is the completion time that the paused jobs lost: the time away and the work to repeat. Gain is what the other"
                    + " saved at most: what the paused jobs still ran (a mean weighted by GPUs), which is how long it would have"
                    + " waited for exactly these GPUs, less what it waited nevertheless.",
            "Cost and gain are measured; they come from the lines of the history. What was expected is what the policy"
                    + " estimated when it decided. A gain is known when all who were paused have ended: until then the entry is"
                    + " OPEN, and its cost is what is known so far."));

    PreemptionReport(List<JsonNode> entries) {
        this.entries = entries;
    }

    void note(String sentence) {
        notes.add(sentence);
    }

    void sums(String group, JsonNode summary) {
        List<List<String>> rows = new ArrayList<>();
        summary.path("items").forEach(row -> rows.add(sum(JobView.text(row, "key"), row)));
        if (rows.size() > 1) {
            rows.add(sum("all", summary.path("total")));
        }
        if (!rows.isEmpty()) {
            sums.add(new Sheet(
                    "By " + group,
                    List.of(
                            group,
                            "decisions",
                            "pauses",
                            "paid",
                            "not paid",
                            "open",
                            "refused",
                            "cost s",
                            "gain s",
                            "expected cost s",
                            "expected gain s",
                            "GPU-s"),
                    rows));
        }
    }

    private static List<String> sum(String key, JsonNode row) {
        List<String> cells = new ArrayList<>(List.of(key.isEmpty() ? "–" : key));
        for (String count : List.of("preemptions", "pauses", "paid", "notPaid", "open", "declined")) {
            cells.add(JobView.text(row, count));
        }
        for (String part : PLACES) {
            cells.add(seconds(row, part + "Seconds"));
        }
        cells.add(seconds(row, "gpuSeconds"));
        return cells;
    }

    String html(Origin origin) {
        List<Sheet> tables = new ArrayList<>();
        add(tables, pauses());
        add(tables, declined());
        return new TopicPage("Fermata: the preemption ledger", lead())
                .withSheets("sums", "Sums", sums)
                .with("pictures", "Gain and cost", plots())
                .withSheets("entries", "Entries", tables)
                .withWords("notes", "Notes", notes)
                .html(origin);
    }

    private static void add(List<Sheet> tables, Sheet sheet) {
        if (!sheet.rows().isEmpty()) {
            tables.add(sheet);
        }
    }

    private String lead() {
        return entries.isEmpty()
                ? "Nobody was paused, and no pause was refused."
                : "From " + JobView.text(entries.get(entries.size() - 1), "at") + " to "
                        + JobView.text(entries.get(0), "at") + ".";
    }

    private static boolean is(JsonNode entry, String outcome) {
        return JobView.text(entry, "outcome").equals(outcome);
    }

    /** A line for each job that was paused; what belongs to the decision stands on each of its lines. */
    private Sheet pauses() {
        List<List<String>> rows = new ArrayList<>();
        for (JsonNode entry : entries) {
            for (JsonNode victim : entry.path("victims")) {
                rows.add(List.of(
                        JobView.text(entry, "number"),
                        JobView.text(entry, "at"),
                        named(victim),
                        is(entry, "MOVED") ? "other GPUs" : named(entry.path("beneficiary")),
                        JobView.text(victim, "gpus"),
                        seconds(victim, "pauseSeconds"),
                        seconds(victim, "reloadSeconds"),
                        seconds(victim, "lostSeconds"),
                        seconds(victim, "awaySeconds"),
                        seconds(entry, "costSeconds"),
                        seconds(entry, "gainSeconds"),
                        seconds(entry, "expectedCostSeconds"),
                        seconds(entry, "expectedGainSeconds"),
                        JobView.text(entry, "outcome")));
            }
        }
        return new Sheet(
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

    private Sheet declined() {
        List<List<String>> rows = new ArrayList<>();
        for (JsonNode entry : entries) {
            if (is(entry, "DECLINED")) {
                rows.add(List.of(
                        JobView.text(entry, "number"),
                        JobView.text(entry, "at"),
                        named(entry.path("beneficiary")),
                        JobView.text(entry, "victimCount"),
                        seconds(entry, "expectedCostSeconds"),
                        seconds(entry, "expectedGainSeconds"),
                        seconds(entry, "waitedSeconds")));
            }
        }
        return new Sheet(
                "Pauses that were not worth it, newest first",
                List.of("number", "at", "for", "would pause", "expected cost s", "expected gain s", "then waited s"),
                rows);
    }

    private static String named(JsonNode party) {
        String name = JobView.text(party, "name");
        return JobView.text(party, "job") + (name.isEmpty() ? "" : " " + name);
    }

    private List<Plot> plots() {
        List<Plot> plots = new ArrayList<>();
        plot(
                plots,
                "measured",
                "Gain and cost, measured",
                "What came of each decision that is settled. A point at 0 gained nothing or less.",
                List.of("PAID", "NOT_PAID"),
                "costSeconds",
                "gainSeconds");
        plot(
                plots,
                "expected",
                "Gain and cost, expected",
                "What the policy expected of each decision that it weighed. What lies below the line was declined.",
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
                    e -> is(e, outcome) && PreemptionWords.known(e, cost) && PreemptionWords.known(e, gain);
            List<ScatterPlot.Point> points = entries.stream()
                    .filter(shown)
                    .map(e -> new ScatterPlot.Point(
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
        return PreemptionWords.known(from, field)
                ? BigDecimal.valueOf(from.path(field).asDouble())
                        .setScale(3, RoundingMode.HALF_EVEN)
                        .toPlainString()
                : "–";
    }
}
