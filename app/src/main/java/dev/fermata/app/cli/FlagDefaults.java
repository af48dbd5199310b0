package dev.fermata.app.cli;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.input.SettingsFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Values of flags that were not typed: the environment ({@code FERMATA_SEED} for {@code --seed}), then the file {@code
 * fermata.yaml} in the current folder, then the default of the flag itself. Which daemon to talk to is never taken from that file.
 */
final class FlagDefaults implements IDefaultValueProvider {
    private static final String FILE = "fermata.yaml";
    private static final Set<String> NOT_SETTINGS = Set.of("help", "version", "out");
    /** Whoever prepared the folder could have the user's token sent to a place of theirs. */
    private static final Set<String> NEVER_FROM_A_FOLDER = Set.of("url", "ca", "token");

    private final Map<String, String> environment;
    private final Map<String, String> fromFile;
    private final @Nullable Complaint broken;

    private FlagDefaults(Map<String, String> environment, Map<String, String> fromFile, @Nullable Complaint broken) {
        this.environment = environment;
        this.fromFile = fromFile;
        this.broken = broken;
    }

    static FlagDefaults around(Surroundings surroundings, CommandLine root) {
        Path file = surroundings.folder().resolve(FILE);
        if (!Files.exists(file)) {
            return new FlagDefaults(surroundings.environment(), Map.of(), null);
        }
        Set<String> flags = new LinkedHashSet<>(NEVER_FROM_A_FOLDER);
        collect(root, flags);
        try {
            Map<String, String> values = Complaint.ifInvalid(() -> SettingsFile.read(file, flags));
            values.keySet().stream()
                    .filter(NEVER_FROM_A_FOLDER::contains)
                    .findFirst()
                    .ifPresent(key -> {
                        throw Complaint.invalid("'" + key + "' in " + file
                                + " is not accepted: a folder must not decide which daemon gets your token.\n"
                                + "Say it by FERMATA_" + key.toUpperCase(Locale.ROOT)
                                + (key.equals("token") ? "." : " or --" + key + "."));
                    });
            return new FlagDefaults(surroundings.environment(), values, null);
        } catch (Complaint e) {
            return new FlagDefaults(surroundings.environment(), Map.of(), e);
        }
    }

    private static void collect(CommandLine command, Set<String> flags) {
        for (OptionSpec option : command.getCommandSpec().options()) {
            for (String name : option.names()) {
                if (isSetting(option, name)) {
                    flags.add(name.substring(2));
                }
            }
        }
        command.getSubcommands().values().forEach(sub -> collect(sub, flags));
    }

    private static boolean isSetting(OptionSpec option, String name) {
        return name.startsWith("--")
                && !NOT_SETTINGS.contains(name.substring(2))
                && (!(option.command().userObject() instanceof OneOff) || OneOff.SETTINGS.contains(name.substring(2)));
    }

    /** A broken file stops commands, but not {@code --help}. */
    void check() {
        if (broken != null) {
            throw broken;
        }
    }

    @Override
    public @Nullable String defaultValue(ArgSpec argument) {
        if (!(argument instanceof OptionSpec option)) {
            return null;
        }
        for (String name : option.names()) {
            String value = isSetting(option, name) ? valueOf(name.substring(2)) : null;
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    private @Nullable String valueOf(String flag) {
        String variable = "FERMATA_" + flag.toUpperCase(Locale.ROOT).replace('-', '_');
        String value = environment.get(variable);
        return value != null && !value.isEmpty() ? value : fromFile.get(flag);
    }
}
