package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.text.TextTable;
import java.util.List;
import java.util.StringJoiner;
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
            NodeSummary summary = NodeSummary.of(node);
            if (!summary.isGone()) {
                table.row(
                        JobText.text(node, "node"),
                        JobText.text(node, "name"),
                        state(node),
                        HumanFormat.count(summary.present()),
                        JobText.text(node, "type"),
                        HumanFormat.count(summary.free()),
                        summary.occupants());
            }
        }
        printTable(table);
        nodes.forEach(this::printRemarks);
        return ExitCode.OK;
    }

    /** Why a node is drained, who asked for it, and what others use. */
    private void printRemarks(JsonNode node) {
        String name = JobText.text(node, "name");
        if (node.path("drained").asBoolean() && node.hasNonNull("drainedBy")) {
            String reason = node.hasNonNull("drainReason") ? ": " + JobText.text(node, "drainReason") : "";
            out().println(name + ": drained by " + JobText.text(node, "drainedBy") + reason);
        }
        JsonNode foreign = node.path("foreign");
        if (foreign.isObject()) {
            out().println(name + ": others use "
                    + HumanFormat.amount(foreign.path("gpus").size(), "GPU") + ", "
                    + foreign.path("cpus").asText() + " CPUs, "
                    + foreign.path("memoryMib").asText() + " MiB");
        }
    }

    static String state(JsonNode node) {
        StringJoiner state = new StringJoiner(", ");
        state.setEmptyValue("up");
        if (!node.path("up").asBoolean(true)) {
            state.add("down");
        }
        for (String condition : List.of("unreachable", "drained", "excluded")) {
            if (node.path(condition).asBoolean()) {
                state.add(condition);
            }
        }
        return state.toString();
    }
}
