package dev.fermata.app.client;

import java.nio.file.Path;
import java.util.Map;

/** Where a user's files are, by the XDG rules. */
public final class Places {
    private static final String OURS = "fermata";

    private Places() {}

    /** What {@code up} keeps unless it is told another place. */
    public static Path data(Map<String, String> environment) {
        return below(environment, "XDG_DATA_HOME", Path.of(".local", "share")).resolve(OURS);
    }

    /** The file that tells clients of this user about the daemon that this user started last. */
    public static Path clientFile(Map<String, String> environment) {
        return below(environment, "XDG_CONFIG_HOME", Path.of(".config"))
                .resolve(OURS)
                .resolve(ClientFile.NAME);
    }

    private static Path below(Map<String, String> environment, String variable, Path usual) {
        String said = environment.getOrDefault(variable, "");
        // Relative ones are to be ignored, say the rules.
        return Path.of(said).isAbsolute() ? Path.of(said) : home(environment).resolve(usual);
    }

    private static Path home(Map<String, String> environment) {
        String home = environment.getOrDefault("HOME", "");
        return Path.of(home.isEmpty() ? System.getProperty("user.home") : home);
    }
}
