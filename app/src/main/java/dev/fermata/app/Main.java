package dev.fermata.app;

import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The root command, {@code fermata}. */
@Command(
        name = "fermata",
        description = "A scheduler for GPU clusters, with the simulator that measures it.",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class)
public final class Main implements Runnable {

    @Spec
    private CommandSpec spec;

    /** Starts the program and ends it with the exit code of the command that ran. */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Main()).execute(args));
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** Reads the version from the manifest of the jar. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {"fermata " + Objects.requireNonNullElse(version, "(not packaged)")};
        }
    }
}
