package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Table;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code fermata nodes}: the machines, their GPUs and who is on them. */
@Command(
        name = "nodes",
        description = "List nodes and their GPUs, and who is on them.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {"", "Examples:", "  fermata nodes", "  fermata nodes -o json", "  fermata drain gpu-07"})
final class Nodes extends Verb {

    Nodes(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    int run(Door door) {
        List<JsonNode> nodes = door.all("nodes");
        if (!forPeople()) {
            return write(nodes);
        }
        Table table = new Table()
                .numbers("node", 2)
                .words("name")
                .words("state")
                .numbers("GPUs", Table.ALWAYS)
                .words("type", 4)
                .numbers("free", Table.ALWAYS)
                .words("who is on which");
        for (JsonNode node : nodes) {
            int free = 0;
            List<String> busy = new ArrayList<>();
            for (JsonNode gpu : node.path("gpus")) {
                List<String> jobs = new ArrayList<>();
                gpu.path("jobs").forEach(job -> jobs.add(job.asText()));
                boolean usable = gpu.path("up").asBoolean(true);
                String number = JobView.text(gpu, "gpu");
                if (!jobs.isEmpty()) {
                    busy.add(number + ": job " + String.join("+", jobs));
                } else if (gpu.path("promisedTo").isNumber()
                        && gpu.path("promisedTo").asLong() >= 0) {
                    busy.add(number + ": kept for job " + JobView.text(gpu, "promisedTo"));
                } else if (!usable) {
                    busy.add(number + ": out of order");
                } else {
                    free++;
                }
            }
            table.row(
                    JobView.text(node, "node"),
                    JobView.text(node, "name"),
                    state(node),
                    Humane.count(node.path("gpus").size()),
                    JobView.text(node, "type"),
                    Humane.count(free),
                    String.join(", ", busy));
        }
        show(table);
        return ExitCode.FINE;
    }

    static String state(JsonNode node) {
        return !node.path("up").asBoolean(true) ? "down" : node.path("drained").asBoolean() ? "drained" : "up";
    }
}
