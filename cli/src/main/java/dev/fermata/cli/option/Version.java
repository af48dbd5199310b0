package dev.fermata.cli.option;

import java.util.Objects;
import picocli.CommandLine.IVersionProvider;

/** Reads the version from the manifest of the jar. */
public final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        return new String[] {"fermata " + number() + " (Java " + Runtime.version() + ")"};
    }

    public static String number() {
        return Objects.requireNonNullElse(Version.class.getPackage().getImplementationVersion(), "(not packaged)");
    }
}
