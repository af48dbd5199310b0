package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Table;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code fermata queues}: what each queue may use, uses and waits for. */
@Command(
        name = "queues",
        description = "List queues: what each is guaranteed, may use at most, uses and waits for.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {"", "Examples:", "  fermata queues", "  fermata queues apply queues.yaml"})
final class Queues extends Verb {

    Queues(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    int run(Door door) {
        List<JsonNode> queues = door.all("queues");
        if (!forPeople()) {
            return write(queues);
        }
        if (queues.isEmpty()) {
            say(
                    "There are no queues with rules: everybody shares everything, and names of queues are free.",
                    "Rules come from a file: fermata queues apply queues.yaml");
            return ExitCode.FINE;
        }
        Table table = new Table()
                .words("queue")
                .numbers("guarantee", Table.ALWAYS)
                .numbers("limit", Table.ALWAYS)
                .numbers("weight", 3)
                .numbers("GPUs used", Table.ALWAYS)
                .numbers("running", Table.ALWAYS)
                .numbers("waiting", Table.ALWAYS);
        for (JsonNode queue : queues) {
            JsonNode limit = queue.path("limitGpus");
            table.row(
                    JobView.text(queue, "path"),
                    JobView.text(queue, "guaranteeGpus"),
                    limit.isNumber() && limit.asLong() >= 0 ? limit.asText() : "–",
                    Humane.number(queue.path("weight").asDouble()),
                    JobView.text(queue, "usedGpus"),
                    JobView.text(queue, "runningJobs"),
                    JobView.text(queue, "pendingJobs"));
        }
        show(table);
        return ExitCode.FINE;
    }
}
