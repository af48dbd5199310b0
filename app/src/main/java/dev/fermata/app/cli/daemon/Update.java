package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import dev.fermata.app.exit.Complaint;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fermata update}: what can be changed about a job after it was submitted. */
@Command(
        name = "update",
        description = "Change jobs that have not ended.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "Examples:",
            "  fermata update 12 --priority 80",
            "  fermata update 12 13 --queue research/nlp --limit 8h"
        })
final class Update extends EachJob {
    @Option(names = "--name", paramLabel = "TEXT", description = "Another name.")
    private @Nullable String name;

    @Option(names = "--queue", paramLabel = "PATH", description = "Another queue, for jobs that wait.")
    private @Nullable String queue;

    @Option(names = "--priority", paramLabel = "N", description = "Higher goes first, where the policy looks at it.")
    private @Nullable Integer priority;

    @Option(names = "--time", paramLabel = "TIME", description = "Another estimate of its run time.")
    private @Nullable String time;

    @Option(names = "--limit", paramLabel = "TIME", description = "Stopped for good after running this long.")
    private @Nullable String limit;

    @Option(names = "--max-preemptions", paramLabel = "N", description = "How often it may be paused for others.")
    private @Nullable Integer maxPreemptions;

    Update(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    String act(Door door, long job) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        patch.put("name", name)
                .put("queue", queue)
                .put("priority", priority)
                .put("time", time)
                .put("limit", limit)
                .put("maxPreemptions", maxPreemptions);
        patch.properties().removeIf(field -> field.getValue().isNull());
        if (patch.isEmpty()) {
            throw Complaint.invalid(
                    "nothing to change: give --priority, --queue, --name, --time, --limit or --max-preemptions");
        }
        door.patch(JobId.path(job), patch);
        return "Job " + job + " is changed.";
    }
}
