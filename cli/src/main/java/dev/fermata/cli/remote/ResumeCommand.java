package dev.fermata.cli.remote;

import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import picocli.CommandLine.Command;

/** {@code fermata resume}: lets suspended jobs go on. */
@Command(
        name = "resume",
        description = "Let suspended jobs go on, as soon as their GPUs are free.",
        footer = {"", "Examples:", "  fermata resume 12", "  fermata resume 12 13 14"})
public final class ResumeCommand extends MultiJobCommand {
    public ResumeCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    String act(DaemonClient api, long job) {
        api.post(JobId.path(job) + "/resume");
        return "Job " + job + " goes on when its GPUs are free.";
    }
}
