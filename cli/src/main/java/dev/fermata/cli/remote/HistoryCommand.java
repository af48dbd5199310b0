package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.cli.client.ApiQuery;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.text.TextTable;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code fermata history}: the jobs that have ended, with their outcome. */
@Command(
        name = "history",
        description =
                "List the jobs that have ended, newest first: how long they waited and ran, how often they were paused, how they ended.",
        footer = {
            "",
            "What happened to one of them, step by step: fermata events JOB --since 30d",
            "",
            "Examples:",
            "  fermata history",
            "  fermata history --queue research --limit 100000 -o csv"
        })
public final class HistoryCommand extends RemoteCommand {
    @Mixin
    private JobFilter filter;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "50",
            description = "At most this many (default: ${DEFAULT-VALUE}).")
    private int limit;

    public HistoryCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    int run(DaemonClient api) {
        if (limit < 1) {
            throw UserError.invalid("--limit (" + limit + ") must be at least 1");
        }
        DaemonClient.Listing found =
                api.list(filter.addTo(ApiQuery.to("history")).toString(), limit);
        if (!isHumanReadable()) {
            return write(found.items());
        }
        if (found.items().isEmpty()) {
            printWrapped(
                    filter.isSet() ? "No ended job matches." : "No job has ended yet. What waits and runs: fermata ls");
            return ExitCode.OK;
        }
        printTable(found.items());
        if (found.more()) {
            printWrapped("", "There are more: --limit " + limit * 10 + " shows them.");
        }
        return ExitCode.OK;
    }

    private void printTable(List<JsonNode> jobs) {
        TextTable table = new TextTable()
                .numberColumn("id", TextTable.ALWAYS)
                .textColumn("name")
                .textColumn("user", 4)
                .textColumn("queue", 1)
                .textColumn("class", 2)
                .numberColumn("GPUs", TextTable.ALWAYS)
                .textColumn("state")
                .textColumn("ended")
                .numberColumn("waited", 5)
                .numberColumn("ran", TextTable.ALWAYS)
                .numberColumn("paused", 3)
                .textColumn("why");
        Instant now = Instant.now();
        for (JsonNode json : jobs) {
            JobText job = new JobText(json);
            int paused = json.path("preemptions").asInt();
            table.row(
                    String.valueOf(job.id()),
                    job.name(),
                    job.text("user"),
                    job.text("queue"),
                    job.text("class"),
                    job.text("gpus"),
                    job.state(),
                    JobText.ago(json, "finished", now),
                    HumanFormat.time(json.path("waitSeconds").asDouble()),
                    job.runTime(),
                    paused == 0 ? "–" : paused + "×",
                    job.reasonText());
        }
        printTable(table);
    }
}
