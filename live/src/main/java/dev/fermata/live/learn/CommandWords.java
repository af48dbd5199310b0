package dev.fermata.live.learn;

import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.spec.Mask;
import dev.fermata.live.spec.Secrets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * What a command line says about the kind of a job. Of several commands all count but those that only prepare ({@link #PREPARING}). Kept
 * are the name of a script and its options, in the order of the alphabet; left out is what differs between runs of the same
 * training ({@link #PASSING}), the folders of paths, where output goes, whatever a shell fills in, and secrets. What is not known
 * to be harmless is kept: better two kinds for one training than one kind for two, whose memory may differ.
 *
 * @param command such as {@code train.py --batch-size=64}
 * @param model the value of {@code --model} and the like, or of the variable {@code MODEL}; empty for none
 */
record CommandWords(String command, String model) {
    private static final int LONGEST_WORD = 64;
    private static final int LONGEST_COMMAND = 300;
    private static final Pattern DASHES = Pattern.compile("^-+");
    private static final Pattern SPACE = Pattern.compile("\\s+");

    private static final Set<String> MODEL = Set.of(
            "model", "model-name", "model-name-or-path", "model-type", "arch", "architecture", "network", "backbone");

    private static final Set<String> MODEL_VARIABLES = Set.of("MODEL", "MODEL_NAME", "FERMATA_MODEL");

    /** Options that tell runs of one training apart. Neither time of a step nor memory nor size of the state depends on them. */
    private static final Set<String> PASSING = Set.of(
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
            "record",
            "log-interval",
            "log-every",
            "print-every",
            "print-freq",
            "date",
            "timestamp");

    /** Commands that only prepare, or watch: nothing of what they do is on a GPU. */
    private static final Set<String> PREPARING = Set.of(
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

    private static final List<String> SCRIPTS = List.of(".py", ".sh", ".bash", ".pl", ".r", ".jl", ".lua", ".js");

    static CommandWords of(JobSpec spec) {
        Mask mask = Mask.of(spec);
        String model = "";
        for (String variable : MODEL_VARIABLES) {
            model = spec.env().containsKey(variable) ? shortened(spec.env().get(variable)) : model;
        }
        List<String> commands = new ArrayList<>();
        for (List<String> words : telling(ShellWords.commands(spec.run()))) {
            List<String> kept = new ArrayList<>();
            String named = read(words, spec, kept);
            model = named.isEmpty() ? model : named;
            commands.add(String.join(" ", kept));
        }
        return new CommandWords(
                mask.over(bounded(String.join("; ", commands), LONGEST_COMMAND)),
                mask.over(bounded(model, LONGEST_WORD)));
    }

    /** What of one command tells kinds apart goes to {@code kept}; answers with the model that it names, or nothing. */
    private static String read(List<String> words, JobSpec spec, List<String> kept) {
        String model = "";
        int script = script(words);
        TreeSet<String> options = new TreeSet<>();
        for (int i = script; i < words.size(); i++) {
            String word = words.get(i);
            if (!word.startsWith("-") || word.length() < 2 || i == script) {
                kept.add(shortened(word));
                continue;
            }
            int sign = word.indexOf('=');
            String name = optionName(sign < 0 ? word : word.substring(0, sign));
            String value = sign < 0 ? "" : word.substring(sign + 1);
            if (sign < 0 && i + 1 < words.size() && !words.get(i + 1).startsWith("-")) {
                value = words.get(++i);
            }
            if (MODEL.contains(name)) {
                model = shortened(value);
            } else if (!PASSING.contains(name)
                    && !Secrets.hides(name.toUpperCase(Locale.ROOT).replace('-', '_'), value, spec.secrets())) {
                options.add("--" + name + (value.isEmpty() ? "" : "=" + shortened(value)));
            }
        }
        kept.addAll(options);
        return model;
    }

    /** The commands that the job is about; where all only prepare, the first. */
    private static List<List<String>> telling(List<List<String>> commands) {
        List<List<String>> telling = commands.stream()
                .filter(words -> !PREPARING.contains(words.get(0)) || runsScript(words))
                .toList();
        return telling.isEmpty() ? commands.subList(0, Math.min(1, commands.size())) : telling;
    }

    private static boolean runsScript(List<String> words) {
        return words.stream().anyMatch(CommandWords::isScript) || module(words) >= 0;
    }

    /** Where in a command its own words begin: at the script, after whatever launches it. */
    private static int script(List<String> words) {
        for (int i = 0; i < words.size(); i++) {
            if (isScript(words.get(i))) {
                return i;
            }
        }
        return Math.max(0, module(words));
    }

    /** Where the name of a module stands that an interpreter is told to run; -1 for none. */
    private static int module(List<String> words) {
        int option = words.indexOf("-m");
        return option > 0 && option + 1 < words.size() && words.get(0).contains("python") ? option + 1 : -1;
    }

    private static boolean isScript(String word) {
        String lower = word.toLowerCase(Locale.ROOT);
        return !word.startsWith("-") && SCRIPTS.stream().anyMatch(lower::endsWith);
    }

    private static String optionName(String word) {
        return DASHES.matcher(word).replaceFirst("").replace('_', '-').toLowerCase(Locale.ROOT);
    }

    /** Without folders, and without what a shell fills in. */
    private static String shortened(String word) {
        if (word.indexOf('$') >= 0 || word.indexOf('`') >= 0) {
            return "$";
        }
        String end = word.endsWith("/") ? word.substring(0, word.length() - 1) : word;
        String name = end.indexOf(' ') < 0 ? end.substring(end.lastIndexOf('/') + 1) : end;
        return bounded(SPACE.matcher(name).replaceAll(" "), LONGEST_WORD);
    }

    private static String bounded(String text, int longest) {
        if (text.length() <= longest) {
            return text;
        }
        CRC32 sum = new CRC32();
        sum.update(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        return text.substring(0, longest - 9) + "#" + String.format(Locale.ROOT, "%08x", sum.getValue());
    }
}
