package dev.fermata.cli.client;

import java.nio.file.Path;
import java.util.Map;

/** Where a user's files are, by the XDG rules. */
public final class ClientPaths {
    private static final String FOLDER = "fermata";

    /** The data folder of a daemon that serves all accounts of a machine. */
    public static final Path SYSTEM_FOLDER = Path.of("/var/lib/fermata");

    private ClientPaths() {}

    /** The default data folder of {@code up}. */
    public static Path dataFolder(Map<String, String> environment) {
        return folder(environment, "XDG_DATA_HOME", Path.of(".local", "share")).resolve(FOLDER);
    }

    /** The file with the address of the daemon that this user started last. */
    public static Path clientFile(Map<String, String> environment) {
        return folder(environment, "XDG_CONFIG_HOME", Path.of(".config"))
                .resolve(FOLDER)
                .resolve(ClientFile.NAME);
    }

    private static Path folder(Map<String, String> environment, String variable, Path usual) {
        String content = environment.getOrDefault(variable, "");
        // Relative ones are to be ignored, say the rules.
        return Path.of(content).isAbsolute()
                ? Path.of(content)
                : home(environment).resolve(usual);
    }

    private static Path home(Map<String, String> environment) {
        String home = environment.getOrDefault("HOME", "");
        return Path.of(home.isEmpty() ? System.getProperty("user.home") : home);
    }
}
