package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.UserError;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fermata update}: changes a submitted job. */
@Command(
        name = "update",
        description = "Change jobs that have not ended.",
        footer = {
            "",
            "Examples:",
            "  fermata update 12 --priority 80",
            "  fermata update 12 13 --queue research/nlp --limit 8h"
        })
public final class UpdateCommand extends MultiJobCommand {
    @Option(names = "--name", paramLabel = "TEXT", description = "Another name.")
    private @Nullable String name;

    @Option(names = "--queue", paramLabel = "PATH", description = "Another queue, for jobs that wait.")
    private @Nullable String queue;

    @Option(
            names = "--priority",
            paramLabel = "N",
            description = "Higher goes first, where the policy uses priorities.")
    private @Nullable Integer priority;

    @Option(names = "--time", paramLabel = "TIME", description = "Another estimate of its run time.")
    private @Nullable String time;

    @Option(names = "--limit", paramLabel = "TIME", description = "Stopped after running this long.")
    private @Nullable String limit;

    @Option(names = "--max-preemptions", paramLabel = "N", description = "How often it may be paused for others.")
    private @Nullable Integer maxPreemptions;

    public UpdateCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    String act(DaemonClient api, long job) {
        ObjectNode patch = JsonNodeFactory.instance.objectNode();
        patch.put("name", name)
                .put("queue", queue)
                .put("priority", priority)
                .put("time", time)
                .put("limit", limit)
                .put("maxPreemptions", maxPreemptions);
        patch.properties().removeIf(field -> field.getValue().isNull());
        if (patch.isEmpty()) {
            throw UserError.invalid(
                    "nothing to change: give --priority, --queue, --name, --time, --limit or --max-preemptions");
        }
        api.patch(JobId.path(job), patch);
        return "Job " + job + " is changed.";
    }
}
