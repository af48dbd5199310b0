package dev.fermata.cli;

import dev.fermata.cli.input.SettingsFile;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OneTimeFlags;
import dev.fermata.core.policy.Suggestion;
import dev.fermata.insight.exit.UserError;
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
 * Values of flags that were not given. The environment comes first ({@code FERMATA_SEED} for {@code --seed}), then the
 * file {@code fermata.yaml} in the current folder, then the default of the flag. The file never decides which daemon to
 * connect to, nor which plugins to load.
 */
final class FlagDefaults implements IDefaultValueProvider {
    private static final String FILE = "fermata.yaml";
    private static final Set<String> NOT_SETTINGS = Set.of("help", "version", "out");
    /** The author of the folder could redirect the user's token, or run code. */
    private static final Set<String> NEVER_FROM_FILE = Set.of("url", "ca", "token", "plugins");

    private static final String PREFIX = "FERMATA_";
    /** Set by most who use a daemon of another machine. */
    private static final String URL_VARIABLE = PREFIX + "URL";
    /** Read elsewhere: by the client, the store, the launcher and the profile store. */
    private static final Set<String> OTHER_VARIABLES = Set.of("TOKEN", "STORE_PASSWORD", "JAVA_OPTS", "MODEL");
    /** Set for jobs (docs/user/jobs.md); may also be set where a user tries a script by hand. */
    private static final Set<String> JOB_VARIABLES = Set.of(
            "JOB_ID",
            "JOB_NAME",
            "ATTEMPT",
            "RESUMED",
            "GRACE_SECONDS",
            "SIGNAL",
            "CHECKPOINT_DIR",
            "CHECKPOINT_SECONDS",
            "ATTEMPT_DIR",
            "ATTEMPT_ID",
            "RUN_DIR",
            "RUN_ID",
            "REPORT",
            "REPORT_URL",
            "REPORT_TOKEN",
            "REPORT_CERT",
            "NODES",
            "GPUS",
            "GPU_SHARES",
            "GPU_MEMORY_MIB",
            "ARRAY_ID",
            "ARRAY_INDEX",
            "ARRAY_SIZE",
            "NO_PYTHONPATH",
            "PROFILE_STEPS");

    private final Map<String, String> environment;
    private final Map<String, String> fromFile;
    private final @Nullable UserError fileError;

    private FlagDefaults(Map<String, String> environment, Map<String, String> fromFile, @Nullable UserError broken) {
        this.environment = environment;
        this.fromFile = fromFile;
        this.fileError = broken;
    }

    /** Whether a file or a variable may set flags: their names are then checked against those of all commands. */
    static boolean isSet(Invocation invocation) {
        return Files.exists(invocation.folder().resolve(FILE))
                || invocation.environment().keySet().stream()
                        .anyMatch(name -> name.startsWith(PREFIX)
                                && !OTHER_VARIABLES.contains(name.substring(PREFIX.length()))
                                && !name.equals(URL_VARIABLE));
    }

    static FlagDefaults of(Invocation invocation, CommandLine root) {
        Path file = invocation.folder().resolve(FILE);
        if (!Files.exists(file)) {
            return new FlagDefaults(invocation.environment(), Map.of(), null);
        }
        Set<String> flags = new LinkedHashSet<>(NEVER_FROM_FILE);
        collect(root, flags);
        try {
            Map<String, String> values = UserError.wrapInvalid(() -> SettingsFile.read(file, flags));
            values.keySet().stream()
                    .filter(NEVER_FROM_FILE::contains)
                    .findFirst()
                    .ifPresent(key -> {
                        throw UserError.invalid("'" + key + "' in " + file
                                + " is not accepted: a folder must not decide which "
                                + (key.equals("plugins") ? "code runs" : "daemon gets your token") + ".\n"
                                + "Use " + PREFIX + variable(key)
                                + (key.equals("token") ? "." : " or --" + key + "."));
                    });
            return new FlagDefaults(invocation.environment(), values, null);
        } catch (UserError e) {
            return new FlagDefaults(invocation.environment(), Map.of(), e);
        }
    }

    /**
     * Variables that are not read and nearly have the name of one that is, each in a sentence. Other variables with the same prefix
     * are no error.
     */
    static List<String> misspelledVariables(Invocation invocation, CommandLine root) {
        Set<String> flags = new LinkedHashSet<>();
        collect(root, flags);
        Set<String> known = new TreeSet<>(OTHER_VARIABLES);
        flags.forEach(flag -> known.add(variable(flag)));
        return invocation.environment().keySet().stream()
                .filter(name -> name.startsWith(PREFIX))
                .map(name -> name.substring(PREFIX.length()))
                .filter(name -> !known.contains(name) && !JOB_VARIABLES.contains(name))
                .sorted()
                .flatMap(name -> Suggestion.nearest(name, known).stream()
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
                && (!(option.command().userObject() instanceof OneTimeFlags)
                        || OneTimeFlags.SETTINGS.contains(name.substring(2)));
    }

    /** A broken file stops commands, but not {@code --help}. */
    void check() {
        if (fileError != null) {
            throw fileError;
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
