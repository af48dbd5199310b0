package dev.fermata.bench.command;

import dev.fermata.cli.CommandPlugin;
import dev.fermata.cli.option.Invocation;
import java.util.List;
import picocli.CommandLine;

/** Adds {@code fermata bench} and {@code fermata torture}. */
public final class BenchCommands implements CommandPlugin {
    @Override
    public List<CommandLine> commands(Invocation invocation) {
        CommandLine bench = new CommandLine(new BenchCommand())
                .addSubcommand(new BenchSimCommand(invocation))
                .addSubcommand(new BenchDecideCommand(invocation))
                .addSubcommand(new BenchPlaceCommand(invocation))
                .addSubcommand(new BenchEtaCommand(invocation))
                .addSubcommand(new BenchOutputCommand(invocation))
                .addSubcommand(new BenchStartsCommand(invocation))
                .addSubcommand(new BenchReadCommand(invocation))
                .addSubcommand(new BenchStoreCommand(invocation))
                .addSubcommand(new BenchDaemonCommand(invocation))
                .addSubcommand(new BenchRestartCommand(invocation))
                .addSubcommand(new BenchSoakCommand(invocation))
                .addSubcommand(new BenchClientsCommand(invocation))
                .addSubcommand(new BenchFidelityCommand(invocation))
                .addSubcommand(new BenchBugsCommand(invocation));
        return List.of(bench, new CommandLine(new TortureCommand(invocation)));
    }
}
