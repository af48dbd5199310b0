package dev.fermata.cli;

import dev.fermata.cli.option.Invocation;
import java.util.List;
import picocli.CommandLine;

/** Commands that another jar adds to the program. Found by {@link java.util.ServiceLoader}. */
public interface CommandPlugin {
    List<CommandLine> commands(Invocation invocation);
}
