package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Table;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The preemption ledger in columns, for people. */
final class PreemptionTables {
    private PreemptionTables() {}

    static Table done(List<JsonNode> entries) {
        Table table = new Table()
                .words("when")
                .words("paused")
                .words("for")
                .words("policy", 1)
                .numbers("GPU-time", 4)
                .numbers("cost", Table.ALWAYS)
                .numbers("gain", Table.ALWAYS)
                .numbers("expected\ncost", 3)
                .numbers("expected\ngain", 3)
                .words("outcome");
        Instant now = Instant.now();
        for (JsonNode entry : entries) {
            List<String> victims = new ArrayList<>();
            entry.path("victims").forEach(v -> victims.add(PreemptionWords.job(v)));
            boolean move = JobView.text(entry, "outcome").equals("MOVED");
            table.row(
                    JobView.ago(entry, "at", now),
                    String.join(", ", victims),
                    move ? "other GPUs" : PreemptionWords.job(entry.path("beneficiary")),
                    JobView.text(entry, "policy"),
                    PreemptionWords.time(entry, "gpuSeconds"),
                    PreemptionWords.time(entry, "costSeconds"),
                    PreemptionWords.time(entry, "gainSeconds"),
                    PreemptionWords.time(entry, "expectedCostSeconds"),
                    PreemptionWords.time(entry, "expectedGainSeconds"),
                    JobView.text(entry, "outcome"));
        }
        return table;
    }

    static Table declined(List<JsonNode> entries) {
        Table table = new Table()
                .words("when")
                .words("for")
                .words("policy", 1)
                .numbers("would pause", Table.ALWAYS)
                .numbers("expected\ncost", Table.ALWAYS)
                .numbers("expected\ngain", Table.ALWAYS)
                .numbers("then waited", Table.ALWAYS);
        Instant now = Instant.now();
        for (JsonNode entry : entries) {
            table.row(
                    JobView.ago(entry, "at", now),
                    PreemptionWords.job(entry.path("beneficiary")),
                    JobView.text(entry, "policy"),
                    Humane.amount(entry.path("victimCount").asLong(), "job"),
                    PreemptionWords.time(entry, "expectedCostSeconds"),
                    PreemptionWords.time(entry, "expectedGainSeconds"),
                    PreemptionWords.time(entry, "waitedSeconds"));
        }
        return table;
    }

    static Table sums(String group, JsonNode rows) {
        Table table = new Table()
                .words(group)
                .numbers("decisions", Table.ALWAYS)
                .numbers("pauses", 3)
                .numbers("paid", Table.ALWAYS)
                .numbers("not paid", Table.ALWAYS)
                .numbers("open", 4)
                .numbers("refused", 5)
                .numbers("GPU-time", 6)
                .numbers("cost", Table.ALWAYS)
                .numbers("gain", Table.ALWAYS)
                .numbers("expected\ncost", 2)
                .numbers("expected\ngain", 2);
        for (JsonNode row : rows) {
            table.row(
                    JobView.text(row, "key"),
                    count(row, "preemptions"),
                    count(row, "pauses"),
                    count(row, "paid"),
                    count(row, "notPaid"),
                    count(row, "open"),
                    count(row, "declined"),
                    PreemptionWords.time(row, "gpuSeconds"),
                    PreemptionWords.time(row, "costSeconds"),
                    PreemptionWords.time(row, "gainSeconds"),
                    PreemptionWords.time(row, "expectedCostSeconds"),
                    PreemptionWords.time(row, "expectedGainSeconds"));
        }
        return table;
    }

    private static String count(JsonNode row, String field) {
        return Humane.count(row.path(field).asLong());
    }
}
