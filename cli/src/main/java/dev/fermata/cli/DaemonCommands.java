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
import dev.fermata.cli.remote.SubmitCommand;
import dev.fermata.cli.remote.TokenCommand;
import dev.fermata.cli.remote.TopCommand;
import dev.fermata.cli.remote.UpdateCommand;
import picocli.CommandLine;

/** The daemon's commands, in the order in which a new user needs them. */
public final class DaemonCommands {
    private DaemonCommands() {}

    public static void addTo(CommandLine root, Invocation invocation) {
        root.addSubcommand(new UpCommand(invocation))
                .addSubcommand(new SubmitCommand(invocation))
                .addSubcommand(new LsCommand(invocation))
                .addSubcommand(new LogsCommand(invocation))
                .addSubcommand(new ExplainCommand(invocation))
                .addSubcommand(new DescribeCommand(invocation))
                .addSubcommand(new TopCommand(invocation))
                .addSubcommand(new CancelCommand(invocation))
                .addSubcommand(new HoldCommand(invocation))
                .addSubcommand(new ReleaseCommand(invocation))
                .addSubcommand(new UpdateCommand(invocation))
                .addSubcommand(new NodesCommand(invocation))
                .addSubcommand(new DrainCommand.DrainNodes(invocation))
                .addSubcommand(new DrainCommand.UndrainNodes(invocation))
                .addSubcommand(new CommandLine(new QueuesCommand(invocation))
                        .addSubcommand(new QueuesApplyCommand(invocation)))
                .addSubcommand(new CommandLine(new ProfileCommand())
                        .addSubcommand(new ProfileRunCommand(invocation))
                        .addSubcommand(new ProfileCommand.Ls(invocation))
                        .addSubcommand(new ProfileCommand.Show(invocation))
                        .addSubcommand(new ProfileCommand.Export(invocation))
                        .addSubcommand(new ProfileCommand.Import(invocation))
                        .addSubcommand(new ProfileCommand.Set(invocation))
                        .addSubcommand(new ProfileCommand.Forget(invocation)))
                .addSubcommand(new HistoryCommand(invocation))
                .addSubcommand(new PreemptionsCommand(invocation))
                .addSubcommand(new EventsCommand(invocation))
                .addSubcommand(new CommandLine(new DiagCommand(invocation))
                        .addSubcommand(new DiagEstimatesCommand(invocation))
                        .addSubcommand(new DiagStartsCommand(invocation)))
                .addSubcommand(new CommandLine(new TokenCommand())
                        .addSubcommand(new TokenCommand.Create(invocation))
                        .addSubcommand(new TokenCommand.Ls(invocation))
                        .addSubcommand(new TokenCommand.Revoke(invocation)))
                .addSubcommand(new AuditCommand(invocation));
    }
}
