package dev.fermata.cli.remote;

import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import picocli.CommandLine.Command;

/** {@code fermata release}: lets held jobs start again. */
@Command(
        name = "release",
        description = "Let jobs on hold start again.",
        footer = {"", "Examples:", "  fermata release 12", "  fermata release 12 13 14"})
public final class ReleaseCommand extends MultiJobCommand {
    public ReleaseCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    String act(DaemonClient api, long job) {
        api.post(JobId.path(job) + "/release");
        return "Job " + job + " is released. Why it waits: fermata explain " + job;
    }
}
