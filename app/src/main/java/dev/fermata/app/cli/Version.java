package dev.fermata.app.cli;

import java.util.Objects;
import picocli.CommandLine.IVersionProvider;

/** Reads the version from the manifest of the jar. */
public final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = Version.class.getPackage().getImplementationVersion();
        return new String[] {
            "fermata " + Objects.requireNonNullElse(version, "(not packaged)") + " (Java " + Runtime.version() + ")"
        };
    }
}
