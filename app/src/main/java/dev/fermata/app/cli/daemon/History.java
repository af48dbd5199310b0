package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import dev.fermata.app.client.Query;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Table;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code fermata history}: the jobs that have ended, and what became of them. */
@Command(
        name = "history",
        description =
                "List the jobs that have ended, newest first: how long they waited and ran, how often they were paused, how they ended.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "What happened to one of them, step by step: fermata events JOB --since 30d",
            "",
            "Examples:",
            "  fermata history",
            "  fermata history --queue research --limit 100000 -o csv"
        })
final class History extends Verb {
    @Mixin
    private JobFilter filter;

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "50",
            description = "At most this many (default: ${DEFAULT-VALUE}).")
    private int limit;

    History(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    int run(Door door) {
        if (limit < 1) {
            throw Complaint.invalid("--limit (" + limit + ") must be at least 1");
        }
        Door.Listing found = door.list(filter.in(Query.to("history")).toString(), limit);
        if (!forPeople()) {
            return write(found.items());
        }
        if (found.items().isEmpty()) {
            say(
                    filter.given()
                            ? "No ended job is like that."
                            : "No job has ended yet. What waits and runs: fermata ls");
            return ExitCode.FINE;
        }
        table(found.items());
        if (found.more()) {
            say("", "There are more: --limit " + limit * 10 + " shows them.");
        }
        return ExitCode.FINE;
    }

    private void table(List<JsonNode> jobs) {
        Table table = new Table()
                .numbers("id", Table.ALWAYS)
                .words("name")
                .words("user", 4)
                .words("queue", 1)
                .words("class", 2)
                .numbers("GPUs", Table.ALWAYS)
                .words("state")
                .words("ended")
                .numbers("waited", 5)
                .numbers("ran", Table.ALWAYS)
                .numbers("paused", 3)
                .words("why");
        Instant now = Instant.now();
        for (JsonNode json : jobs) {
            JobView job = new JobView(json);
            int paused = json.path("preemptions").asInt();
            table.row(
                    String.valueOf(job.id()),
                    job.name(),
                    job.text("user"),
                    job.text("queue"),
                    job.text("class"),
                    job.text("gpus"),
                    job.state(),
                    JobView.ago(json, "finished", now),
                    Humane.time(json.path("waitSeconds").asDouble()),
                    job.runTime(),
                    paused == 0 ? "–" : paused + "×",
                    job.remark());
        }
        show(table);
    }
}
