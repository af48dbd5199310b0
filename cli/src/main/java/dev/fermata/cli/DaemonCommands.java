package dev.fermata.cli;

import dev.fermata.cli.daemon.UpCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.remote.AuditCommand;
import dev.fermata.cli.remote.CancelCommand;
import dev.fermata.cli.remote.DescribeCommand;
import dev.fermata.cli.remote.DiagCommand;
import dev.fermata.cli.remote.DiagEstimatesCommand;
import dev.fermata.cli.remote.DiagStartsCommand;
import dev.fermata.cli.remote.DrainCommand;
import dev.fermata.cli.remote.EventsCommand;
import dev.fermata.cli.remote.ExplainCommand;
import dev.fermata.cli.remote.HistoryCommand;
import dev.fermata.cli.remote.HoldCommand;
import dev.fermata.cli.remote.LogsCommand;
import dev.fermata.cli.remote.LsCommand;
import dev.fermata.cli.remote.NodesCommand;
import dev.fermata.cli.remote.PreemptionsCommand;
import dev.fermata.cli.remote.ProfileCommand;
import dev.fermata.cli.remote.ProfileRunCommand;
import dev.fermata.cli.remote.QueuesApplyCommand;
import dev.fermata.cli.remote.QueuesCommand;
import dev.fermata.cli.remote.ReleaseCommand;
import dev.fermata.cli.remote.ResumeCommand;
import dev.fermata.cli.remote.SubmitCommand;
import dev.fermata.cli.remote.SuspendCommand;
import dev.fermata.cli.remote.TokenCommand;
import dev.fermata.cli.remote.TopCommand;
import dev.fermata.cli.remote.UpdateCommand;
import dev.fermata.cli.remote.WebCommand;
import picocli.CommandLine;

/** The daemon's commands, in the order in which a new user needs them. */
final class DaemonCommands {
    private DaemonCommands() {}

    static void addTo(CommandTable table, Invocation invocation) {
        table.add("up", () -> new UpCommand(invocation))
                .add("submit", () -> new SubmitCommand(invocation))
                .add("ls", () -> new LsCommand(invocation), "queue", "ps")
                .add("logs", () -> new LogsCommand(invocation))
                .add("explain", () -> new ExplainCommand(invocation))
                .add("describe", () -> new DescribeCommand(invocation))
                .add("top", () -> new TopCommand(invocation))
                .add("web", () -> new WebCommand(invocation))
                .add("cancel", () -> new CancelCommand(invocation), "kill")
                .add("hold", () -> new HoldCommand(invocation))
                .add("release", () -> new ReleaseCommand(invocation))
                .add("suspend", () -> new SuspendCommand(invocation))
                .add("resume", () -> new ResumeCommand(invocation))
                .add("update", () -> new UpdateCommand(invocation))
                .add("nodes", () -> new NodesCommand(invocation))
                .add("drain", () -> new DrainCommand.DrainNodes(invocation))
                .add("undrain", () -> new DrainCommand.UndrainNodes(invocation))
                .add(
                        "queues",
                        () -> new CommandLine(new QueuesCommand(invocation))
                                .addSubcommand(new QueuesApplyCommand(invocation)))
                .add(
                        "profile",
                        () -> new CommandLine(new ProfileCommand())
                                .addSubcommand(new ProfileRunCommand(invocation))
                                .addSubcommand(new ProfileCommand.Ls(invocation))
                                .addSubcommand(new ProfileCommand.Show(invocation))
                                .addSubcommand(new ProfileCommand.Export(invocation))
                                .addSubcommand(new ProfileCommand.Import(invocation))
                                .addSubcommand(new ProfileCommand.Set(invocation))
                                .addSubcommand(new ProfileCommand.Forget(invocation)))
                .add("history", () -> new HistoryCommand(invocation))
                .add("preemptions", () -> new PreemptionsCommand(invocation))
                .add("events", () -> new EventsCommand(invocation))
                .add(
                        "diag",
                        () -> new CommandLine(new DiagCommand(invocation))
                                .addSubcommand(new DiagEstimatesCommand(invocation))
                                .addSubcommand(new DiagStartsCommand(invocation)))
                .add(
                        "token",
                        () -> new CommandLine(new TokenCommand())
                                .addSubcommand(new TokenCommand.Create(invocation))
                                .addSubcommand(new TokenCommand.Ls(invocation))
                                .addSubcommand(new TokenCommand.Rotate(invocation))
                                .addSubcommand(new TokenCommand.Revoke(invocation)))
                .add("audit", () -> new AuditCommand(invocation));
    }
}
