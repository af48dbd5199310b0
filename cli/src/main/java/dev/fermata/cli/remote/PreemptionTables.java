package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.text.TextTable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The preemption log in columns, for people. */
final class PreemptionTables {
    private PreemptionTables() {}

    static TextTable decided(List<JsonNode> entries) {
        TextTable table = new TextTable()
                .textColumn("when")
                .textColumn("paused")
                .textColumn("for")
                .textColumn("policy", 1)
                .numberColumn("GPU-time", 4)
                .numberColumn("cost", TextTable.ALWAYS)
                .numberColumn("gain", TextTable.ALWAYS)
                .numberColumn("expected\ncost", 3)
                .numberColumn("expected\ngain", 3)
                .textColumn("outcome");
        Instant now = Instant.now();
        for (JsonNode entry : entries) {
            List<String> victims = new ArrayList<>();
            entry.path("victims").forEach(v -> victims.add(PreemptionText.job(v)));
            boolean move = JobText.text(entry, "outcome").equals("MOVED");
            table.row(
                    JobText.ago(entry, "at", now),
                    String.join(", ", victims),
                    move ? "other GPUs" : PreemptionText.job(entry.path("beneficiary")),
                    JobText.text(entry, "policy"),
                    PreemptionText.time(entry, "gpuSeconds"),
                    PreemptionText.time(entry, "costSeconds"),
                    PreemptionText.time(entry, "gainSeconds"),
                    PreemptionText.time(entry, "expectedCostSeconds"),
                    PreemptionText.time(entry, "expectedGainSeconds"),
                    JobText.text(entry, "outcome"));
        }
        return table;
    }

    static TextTable declined(List<JsonNode> entries) {
        TextTable table = new TextTable()
                .textColumn("when")
                .textColumn("for")
                .textColumn("policy", 1)
                .numberColumn("would pause", TextTable.ALWAYS)
                .numberColumn("expected\ncost", TextTable.ALWAYS)
                .numberColumn("expected\ngain", TextTable.ALWAYS)
                .numberColumn("then waited", TextTable.ALWAYS);
        Instant now = Instant.now();
        for (JsonNode entry : entries) {
            table.row(
                    JobText.ago(entry, "at", now),
                    PreemptionText.job(entry.path("beneficiary")),
                    JobText.text(entry, "policy"),
                    HumanFormat.amount(entry.path("victimCount").asLong(), "job"),
                    PreemptionText.time(entry, "expectedCostSeconds"),
                    PreemptionText.time(entry, "expectedGainSeconds"),
                    PreemptionText.time(entry, "waitedSeconds"));
        }
        return table;
    }

    static TextTable totals(String group, JsonNode rows) {
        TextTable table = new TextTable()
                .textColumn(group)
                .numberColumn("decisions", TextTable.ALWAYS)
                .numberColumn("pauses", 3)
                .numberColumn("paid", TextTable.ALWAYS)
                .numberColumn("not paid", TextTable.ALWAYS)
                .numberColumn("open", 4)
                .numberColumn("declined", 5)
                .numberColumn("GPU-time", 6)
                .numberColumn("cost", TextTable.ALWAYS)
                .numberColumn("gain", TextTable.ALWAYS)
                .numberColumn("expected\ncost", 2)
                .numberColumn("expected\ngain", 2);
        for (JsonNode row : rows) {
            table.row(
                    JobText.text(row, "key"),
                    count(row, "preemptions"),
                    count(row, "preemptedJobs"),
                    count(row, "paid"),
                    count(row, "notPaid"),
                    count(row, "open"),
                    count(row, "declined"),
                    PreemptionText.time(row, "gpuSeconds"),
                    PreemptionText.time(row, "costSeconds"),
                    PreemptionText.time(row, "gainSeconds"),
                    PreemptionText.time(row, "expectedCostSeconds"),
                    PreemptionText.time(row, "expectedGainSeconds"));
        }
        return table;
    }

    private static String count(JsonNode row, String field) {
        return HumanFormat.count(row.path(field).asLong());
    }
}
