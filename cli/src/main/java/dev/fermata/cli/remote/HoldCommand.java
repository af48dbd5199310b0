package dev.fermata.cli.remote;

import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import picocli.CommandLine.Command;

/** {@code fermata hold}: keeps pending jobs from starting. */
@Command(
        name = "hold",
        description = "Keep jobs from starting until they are released. Running jobs continue.",
        footer = {"", "Examples:", "  fermata hold 12", "  fermata hold 12 13 14"})
public final class HoldCommand extends MultiJobCommand {
    public HoldCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    String act(DaemonClient api, long job) {
        api.post(JobId.path(job) + "/hold");
        return "Job " + job + " is on hold. Release it: fermata release " + job;
    }
}
