package dev.fermata.cli.remote;

import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import picocli.CommandLine.Command;

/** {@code fermata suspend}: suspends running jobs in place. */
@Command(
        name = "suspend",
        description = "Suspend running jobs in place until they are resumed. They keep everything but their GPUs.",
        footer = {"", "Examples:", "  fermata suspend 12", "  fermata suspend 12 13 14"})
public final class SuspendCommand extends MultiJobCommand {
    public SuspendCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    String act(DaemonClient api, long job) {
        api.post(JobId.path(job) + "/suspend");
        return "Job " + job + " is being suspended. Resume it: fermata resume " + job;
    }
}
