package dev.fermata.research.command;

import dev.fermata.cli.CommandPlugin;
import dev.fermata.cli.option.Invocation;
import java.util.List;
import picocli.CommandLine;

/** Adds {@code fermata reproduce} and {@code fermata judge}. */
public final class ResearchCommands implements CommandPlugin {
    @Override
    public List<CommandLine> commands(Invocation invocation) {
        return List.of(
                new CommandLine(new ReproduceCommand(invocation, Reproductions::all)),
                new CommandLine(new JudgeCommand(invocation)));
    }
}
