package dev.fermata.app.cli;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.input.SettingsFile;
import dev.fermata.core.policy.Suggest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
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

    private static final String PREFIX = "FERMATA_";
    /** Read elsewhere: by the client, the store, the launcher, the learning of kinds. */
    private static final Set<String> OTHERS = Set.of("TOKEN", "STORE_PASSWORD", "JAVA_OPTS", "MODEL");
    /** What jobs get (docs/jobs.md), and may still be set where somebody tries a script by hand. */
    private static final Set<String> OF_JOBS = Set.of(
            "JOB_ID",
            "JOB_NAME",
            "ATTEMPT",
            "RESUMED",
            "GRACE_SECONDS",
            "SIGNAL",
            "CHECKPOINT_DIR",
            "CHECKPOINT_SECONDS",
            "RUN_DIR",
            "RUN_ID",
            "REPORT",
            "GPUS",
            "GPU_MEMORY_MIB",
            "ARRAY_ID",
            "ARRAY_INDEX",
            "ARRAY_SIZE",
            "NO_PYTHONPATH",
            "PROFILE_STEPS");

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
                                + "Say it by " + PREFIX + variable(key)
                                + (key.equals("token") ? "." : " or --" + key + "."));
                    });
            return new FlagDefaults(surroundings.environment(), values, null);
        } catch (Complaint e) {
            return new FlagDefaults(surroundings.environment(), Map.of(), e);
        }
    }

    /**
     * Variables that nobody reads and that are nearly the name of one that is read, each in a sentence. Whoever has others of his
     * own that begin like ours is left in peace.
     */
    static List<String> misspelt(Surroundings surroundings, CommandLine root) {
        Set<String> flags = new LinkedHashSet<>();
        collect(root, flags);
        Set<String> known = new TreeSet<>(OTHERS);
        flags.forEach(flag -> known.add(variable(flag)));
        return surroundings.environment().keySet().stream()
                .filter(name -> name.startsWith(PREFIX))
                .map(name -> name.substring(PREFIX.length()))
                .filter(name -> !known.contains(name) && !OF_JOBS.contains(name))
                .sorted()
                .flatMap(name -> Suggest.nearest(name, known).stream()
                        .map(meant -> PREFIX + name + " is not read by fermata. Did you mean " + PREFIX + meant + "?"))
                .toList();
    }

    private static String variable(String flag) {
        return flag.toUpperCase(Locale.ROOT).replace('-', '_');
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
        String value = environment.get(PREFIX + variable(flag));
        return value != null && !value.isEmpty() ? value : fromFile.get(flag);
    }
}
