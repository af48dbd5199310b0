package dev.fermata.cli.option;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** What every command has: its surroundings, {@code --help} and {@code --version}, and where it prints. */
@Command(mixinStandardHelpOptions = true, versionProvider = Version.class)
public abstract class FermataCommand implements Callable<Integer> {
    public final Invocation invocation;

    @Spec
    public CommandSpec spec;

    protected FermataCommand(Invocation invocation) {
        this.invocation = invocation;
    }

    public final PrintWriter out() {
        return spec.commandLine().getOut();
    }

    public final PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
