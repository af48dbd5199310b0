package dev.fermata.live.profile;

import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.spec.SecretMask;
import dev.fermata.live.spec.SecretRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * The part of a command line that identifies a program. It keeps the script and its sorted options. It drops setup
 * commands ({@link #SETUP_COMMANDS}), options that differ between runs of one training ({@link #IGNORED_OPTIONS}),
 * folders, redirections, shell expansions and secrets. An unknown option is kept: two profiles for one training are
 * better than one profile for two, whose memory may differ.
 *
 * @param command such as {@code train.py --batch-size=64}
 * @param model the value of {@code --model} or a similar option, or of the variable {@code MODEL}; empty for none
 */
record NormalizedCommand(String command, String model) {
    private static final int MAX_WORD = 64;
    private static final int MAX_COMMAND = 300;
    private static final Pattern DASHES = Pattern.compile("^-+");
    /** An option as configuration tools take it, such as {@code trainer.max_epochs=3}. */
    private static final Pattern ASSIGNMENT = Pattern.compile("[+~]{0,2}[A-Za-z_][A-Za-z0-9_.]*=.*");

    private static final Pattern SPACE = Pattern.compile("\\s+");

    private static final Set<String> MODEL_OPTIONS = Set.of(
            "model", "model-name", "model-name-or-path", "model-type", "arch", "architecture", "network", "backbone");

    private static final Set<String> MODEL_VARIABLES = Set.of("MODEL", "MODEL_NAME", "FERMATA_MODEL");

    /** Options that differ between runs of one training. Step time, memory and checkpoint size do not depend on them. */
    private static final Set<String> IGNORED_OPTIONS = Set.of(
            "seed",
            "random-seed",
            "manual-seed",
            "rng",
            "o",
            "out",
            "output",
            "output-dir",
            "out-dir",
            "outdir",
            "result",
            "results",
            "results-dir",
            "save",
            "save-dir",
            "save-path",
            "log",
            "log-dir",
            "logdir",
            "log-file",
            "log-path",
            "run",
            "run-name",
            "run-id",
            "name",
            "exp",
            "exp-name",
            "experiment",
            "experiment-name",
            "tag",
            "tags",
            "id",
            "job-id",
            "job-name",
            "project",
            "wandb-project",
            "wandb-name",
            "wandb-run",
            "comment",
            "notes",
            "ckpt",
            "ckpt-dir",
            "checkpoint",
            "checkpoint-dir",
            "checkpoint-path",
            "resume",
            "resume-from",
            "epoch",
            "epochs",
            "num-epochs",
            "max-epochs",
            "n-epochs",
            "steps",
            "num-steps",
            "max-steps",
            "total-steps",
            "iters",
            "iterations",
            "num-iterations",
            "max-iters",
            "lr",
            "learning-rate",
            "weight-decay",
            "wd",
            "momentum",
            "dropout",
            "gamma",
            "beta1",
            "beta2",
            "fold",
            "trial",
            "trial-id",
            "port",
            "master-port",
            "master-addr",
            "lr-decay-iters",
            "lr-decay-steps",
            "min-lr",
            "warmup",
            "warmup-steps",
            "warmup-iters",
            "warmup-epochs",
            "warmup-ratio",
            "eval-interval",
            "eval-iters",
            "eval-steps",
            "eval-every",
            "save-steps",
            "save-interval",
            "save-every",
            "checkpointing-steps",
            "logging-steps",
            "record",
            "log-interval",
            "log-every",
            "print-every",
            "print-freq",
            "date",
            "timestamp");

    /** Commands that use no GPU. */
    private static final Set<String> SETUP_COMMANDS = Set.of(
            "cd",
            "set",
            "export",
            "unset",
            "source",
            ".",
            "module",
            "ulimit",
            "umask",
            "mkdir",
            "echo",
            "printf",
            "trap",
            "exit",
            "date",
            "hostname",
            "ls",
            "pwd",
            "true",
            ":",
            "wait",
            "conda",
            "pip",
            "pip3",
            "git",
            "cp",
            "mv",
            "rm",
            "ln",
            "tar",
            "rsync",
            "nvidia-smi",
            "tee",
            "break",
            "continue",
            "fi",
            "done",
            "esac",
            "}");

    private static final List<String> SCRIPT_SUFFIXES =
            List.of(".py", ".sh", ".bash", ".pl", ".r", ".jl", ".lua", ".js");

    static NormalizedCommand of(JobSpec spec) {
        SecretMask mask = SecretMask.of(spec);
        String model = "";
        for (String variable : MODEL_VARIABLES) {
            model = spec.env().containsKey(variable) ? shorten(spec.env().get(variable)) : model;
        }
        List<String> commands = new ArrayList<>();
        for (List<String> words : relevantCommands(ShellTokenizer.commands(spec.run()))) {
            List<String> kept = new ArrayList<>();
            String named = normalize(words, spec, kept);
            model = named.isEmpty() ? model : named;
            commands.add(String.join(" ", kept));
        }
        return new NormalizedCommand(
                mask.apply(bound(String.join("; ", commands), MAX_COMMAND)), mask.apply(bound(model, MAX_WORD)));
    }

    /** Adds the identifying words of one command to {@code kept}; returns the model it names, or nothing. */
    private static String normalize(List<String> words, JobSpec spec, List<String> kept) {
        String model = "";
        int script = scriptIndex(words);
        TreeSet<String> options = new TreeSet<>();
        for (int i = script; i < words.size(); i++) {
            String word = words.get(i);
            boolean option = word.startsWith("-") || ASSIGNMENT.matcher(word).matches();
            if (!option || word.length() < 2 || i == script) {
                kept.add(shorten(word));
                continue;
            }
            int sign = word.indexOf('=');
            String name = optionName(sign < 0 ? word : word.substring(0, sign));
            String value = sign < 0 ? "" : word.substring(sign + 1);
            if (sign < 0 && i + 1 < words.size() && !words.get(i + 1).startsWith("-")) {
                value = words.get(++i);
            }
            if (MODEL_OPTIONS.contains(name)) {
                model = shorten(value);
            } else if (!IGNORED_OPTIONS.contains(name.substring(name.lastIndexOf('.') + 1))
                    && !RunLength.isLength(name)
                    && !SecretRules.isSecret(name.toUpperCase(Locale.ROOT).replace('-', '_'), value, spec.secrets())) {
                options.add("--" + name + (value.isEmpty() ? "" : "=" + shorten(value)));
            }
        }
        kept.addAll(options);
        return model;
    }

    /** The commands that are not setup; if all are, the first. */
    private static List<List<String>> relevantCommands(List<List<String>> commands) {
        List<List<String>> relevant = commands.stream()
                .filter(words -> !SETUP_COMMANDS.contains(words.get(0)) || runsScript(words))
                .toList();
        return relevant.isEmpty() ? commands.subList(0, Math.min(1, commands.size())) : relevant;
    }

    private static boolean runsScript(List<String> words) {
        return words.stream().anyMatch(NormalizedCommand::isScript) || moduleIndex(words) >= 0;
    }

    /** Index of the script, after its launcher. */
    private static int scriptIndex(List<String> words) {
        for (int i = 0; i < words.size(); i++) {
            if (isScript(words.get(i))) {
                return i;
            }
        }
        return Math.max(0, moduleIndex(words));
    }

    /** Index of the module that an interpreter runs; -1 for none. */
    private static int moduleIndex(List<String> words) {
        int option = words.indexOf("-m");
        return option > 0 && option + 1 < words.size() && words.get(0).contains("python") ? option + 1 : -1;
    }

    private static boolean isScript(String word) {
        String lower = word.toLowerCase(Locale.ROOT);
        return !word.startsWith("-") && SCRIPT_SUFFIXES.stream().anyMatch(lower::endsWith);
    }

    private static String optionName(String word) {
        return DASHES.matcher(word).replaceFirst("").replace('_', '-').toLowerCase(Locale.ROOT);
    }

    /** The word without folders and shell expansions. */
    private static String shorten(String word) {
        if (word.indexOf('$') >= 0 || word.indexOf('`') >= 0) {
            return "$";
        }
        String end = word.endsWith("/") ? word.substring(0, word.length() - 1) : word;
        String name = end.indexOf(' ') < 0 ? end.substring(end.lastIndexOf('/') + 1) : end;
        return bound(SPACE.matcher(name).replaceAll(" "), MAX_WORD);
    }

    private static String bound(String text, int maxLength) {
        if (text.length() <= maxLength) {
            return text;
        }
        CRC32 sum = new CRC32();
        sum.update(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        return text.substring(0, maxLength - 9) + "#" + String.format(Locale.ROOT, "%08x", sum.getValue());
    }
}
