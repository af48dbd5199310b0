package dev.fermata.cli.remote;

import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import picocli.CommandLine.Command;

/** {@code fermata cancel}: ends jobs. */
@Command(
        name = "cancel",
        aliases = "kill",
        description = "End jobs: pending ones at once, running ones with all their processes.",
        footer = {"", "Examples:", "  fermata cancel 12", "  fermata cancel 12 13 14"})
public final class CancelCommand extends MultiJobCommand {
    public CancelCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    String act(DaemonClient api, long job) {
        api.delete(JobId.path(job));
        return "Job " + job + " is cancelled.";
    }
}
