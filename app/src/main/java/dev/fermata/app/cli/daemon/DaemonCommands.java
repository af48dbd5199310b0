package dev.fermata.app.cli.daemon;

import dev.fermata.app.cli.Surroundings;
import picocli.CommandLine;

/** The daemon's commands, in the order in which a new user needs them. */
public final class DaemonCommands {
    private DaemonCommands() {}

    public static void addTo(CommandLine root, Surroundings surroundings) {
        root.addSubcommand(new Up(surroundings))
                .addSubcommand(new Submit(surroundings))
                .addSubcommand(new Ls(surroundings))
                .addSubcommand(new Logs(surroundings))
                .addSubcommand(new Explain(surroundings))
                .addSubcommand(new Describe(surroundings))
                .addSubcommand(new Top(surroundings))
                .addSubcommand(new Cancel(surroundings))
                .addSubcommand(new Hold(surroundings))
                .addSubcommand(new Release(surroundings))
                .addSubcommand(new Update(surroundings))
                .addSubcommand(new Nodes(surroundings))
                .addSubcommand(new Drain.On(surroundings))
                .addSubcommand(new Drain.Off(surroundings))
                .addSubcommand(new CommandLine(new Queues(surroundings)).addSubcommand(new QueuesApply(surroundings)))
                .addSubcommand(new CommandLine(new ProfileCommand())
                        .addSubcommand(new ProfileRun(surroundings))
                        .addSubcommand(new ProfileCommand.Ls(surroundings))
                        .addSubcommand(new ProfileCommand.Show(surroundings))
                        .addSubcommand(new ProfileCommand.Export(surroundings))
                        .addSubcommand(new ProfileCommand.Import(surroundings))
                        .addSubcommand(new ProfileCommand.Set(surroundings))
                        .addSubcommand(new ProfileCommand.Forget(surroundings)))
                .addSubcommand(new History(surroundings))
                .addSubcommand(new Preemptions(surroundings))
                .addSubcommand(new Events(surroundings))
                .addSubcommand(new CommandLine(new Diag(surroundings))
                        .addSubcommand(new DiagEstimates(surroundings))
                        .addSubcommand(new DiagStarts(surroundings)))
                .addSubcommand(new CommandLine(new TokenCommand())
                        .addSubcommand(new TokenCommand.Create(surroundings))
                        .addSubcommand(new TokenCommand.Ls(surroundings))
                        .addSubcommand(new TokenCommand.Revoke(surroundings)))
                .addSubcommand(new Audit(surroundings));
    }
}
