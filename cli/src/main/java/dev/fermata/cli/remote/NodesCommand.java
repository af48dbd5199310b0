package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.text.TextTable;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code fermata nodes}: the machines, their GPUs and the jobs on them. */
@Command(
        name = "nodes",
        description = "List nodes and their GPUs, and the jobs on them.",
        footer = {"", "Examples:", "  fermata nodes", "  fermata nodes -o json", "  fermata drain gpu-07"})
public final class NodesCommand extends RemoteCommand {

    public NodesCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    int run(DaemonClient api) {
        List<JsonNode> nodes = api.listAll("nodes");
        if (!isHumanReadable()) {
            return write(nodes);
        }
        TextTable table = new TextTable()
                .numberColumn("node", 2)
                .textColumn("name")
                .textColumn("state")
                .numberColumn("GPUs", TextTable.ALWAYS)
                .textColumn("type", 4)
                .numberColumn("free", TextTable.ALWAYS)
                .textColumn("jobs by GPU");
        for (JsonNode node : nodes) {
            int free = 0;
            int present = 0;
            List<String> busy = new ArrayList<>();
            List<String> lost = new ArrayList<>();
            for (JsonNode gpu : node.path("gpus")) {
                List<String> jobs = new ArrayList<>();
                gpu.path("jobs").forEach(job -> jobs.add(job.asText()));
                String number = JobText.text(gpu, "gpu");
                boolean missing = gpu.path("missing").asBoolean();
                present += missing ? 0 : 1;
                if (!jobs.isEmpty()) {
                    busy.add(number + (missing ? ": missing, job " : ": job ") + String.join("+", jobs));
                } else if (gpu.path("reservedFor").isNumber()
                        && gpu.path("reservedFor").asLong() >= 0) {
                    busy.add(number + ": kept for job " + JobText.text(gpu, "reservedFor"));
                } else if (missing) {
                    lost.add(number);
                } else if (!gpu.path("up").asBoolean(true)) {
                    busy.add(number + ": down");
                } else if (!gpu.path("drained").asBoolean()) {
                    free++;
                }
            }
            if (present == 0 && busy.isEmpty()) {
                continue; // another machine, which nothing runs on any more
            }
            if (!lost.isEmpty()) {
                busy.add(String.join(",", lost) + ": missing");
            }
            table.row(
                    JobText.text(node, "node"),
                    JobText.text(node, "name"),
                    state(node),
                    HumanFormat.count(present),
                    JobText.text(node, "type"),
                    HumanFormat.count(free),
                    String.join(", ", busy));
        }
        printTable(table);
        return ExitCode.OK;
    }

    static String state(JsonNode node) {
        boolean up = node.path("up").asBoolean(true);
        if (node.path("drained").asBoolean()) {
            return up ? "drained" : "down, drained";
        }
        return up ? "up" : "down";
    }
}
