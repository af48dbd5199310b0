package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.text.TextTable;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code fermata queues}: limits, use and pending jobs of each queue. */
@Command(
        name = "queues",
        description = "List queues: what each is guaranteed, may use at most, uses and waits for.",
        footer = {"", "Examples:", "  fermata queues", "  fermata queues apply queues.yaml"})
public final class QueuesCommand extends RemoteCommand {

    public QueuesCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    int run(DaemonClient api) {
        List<JsonNode> queues = api.listAll("queues");
        if (!isHumanReadable()) {
            return write(queues);
        }
        if (queues.isEmpty()) {
            printWrapped(
                    "There are no queues with rules: all users share everything, and names of queues are free.",
                    "Rules come from a file: fermata queues apply queues.yaml");
            return ExitCode.OK;
        }
        TextTable table = new TextTable()
                .textColumn("queue")
                .numberColumn("guarantee", TextTable.ALWAYS)
                .numberColumn("limit", TextTable.ALWAYS)
                .numberColumn("weight", 3)
                .numberColumn("GPUs used", TextTable.ALWAYS)
                .numberColumn("running", TextTable.ALWAYS)
                .numberColumn("waiting", TextTable.ALWAYS);
        for (JsonNode queue : queues) {
            JsonNode limit = queue.path("limitGpus");
            table.row(
                    JobText.text(queue, "path"),
                    JobText.text(queue, "guaranteeGpus"),
                    limit.isNumber() && limit.asLong() >= 0 ? limit.asText() : "–",
                    HumanFormat.number(queue.path("weight").asDouble()),
                    JobText.text(queue, "usedGpus"),
                    JobText.text(queue, "runningJobs"),
                    JobText.text(queue, "pendingJobs"));
        }
        printTable(table);
        return ExitCode.OK;
    }
}
