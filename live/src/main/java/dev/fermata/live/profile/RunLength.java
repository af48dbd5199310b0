package dev.fermata.live.profile;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The length of a run as the words of its command state it, such as {@code --max_iters=600} or {@code
 * trainer.max_epochs=3}. Commands that contradict each other state nothing.
 *
 * @param steps 0 for unknown
 * @param epochs 0 for unknown
 */
public record RunLength(long steps, double epochs) {
    public static final RunLength UNKNOWN = new RunLength(0, 0);

    private static final Set<String> STEP_NAMES = Set.of(
            "max-steps",
            "num-steps",
            "n-steps",
            "steps",
            "total-steps",
            "train-steps",
            "training-steps",
            "max-train-steps",
            "num-train-steps",
            "max-iters",
            "max-iter",
            "num-iters",
            "num-iter",
            "n-iters",
            "n-iter",
            "iters",
            "niter",
            "iterations",
            "num-iterations",
            "n-iterations",
            "train-iters",
            "total-iters",
            "max-update",
            "max-updates",
            "num-updates",
            "max-train-iters");

    private static final Set<String> EPOCH_NAMES = Set.of(
            "epochs",
            "epoch",
            "num-epochs",
            "n-epochs",
            "nepochs",
            "num-epoch",
            "max-epochs",
            "max-epoch",
            "total-epochs",
            "train-epochs",
            "training-epochs",
            "num-train-epochs",
            "max-train-epochs",
            "nb-epochs",
            "n-epoch");

    private static final Pattern NUMBER = Pattern.compile("[0-9][0-9_,]{0,17}(\\.[0-9]{1,9})?([eE][0-9]{1,2})?");
    private static final double MAX = 1e15;

    /** The length that a shell command line or script states. */
    public static RunLength of(String run) {
        RunLength found = UNKNOWN;
        for (List<String> words : ShellTokenizer.commands(run)) {
            for (int i = 0; i < words.size(); i++) {
                String word = words.get(i);
                int sign = word.indexOf('=');
                String name = sign < 0 ? word : word.substring(0, sign);
                // Without a sign only options and the dotted keys of configuration files have a value in the next word.
                boolean valued = sign >= 0 || (i + 1 < words.size() && (name.startsWith("-") || name.indexOf('.') > 0));
                if (valued) {
                    found = found.with(optionName(name), sign < 0 ? words.get(i + 1) : word.substring(sign + 1));
                }
            }
        }
        return new RunLength(Math.max(0, found.steps), Math.max(0, found.epochs));
    }

    /** Whether an option states the length of a run. */
    public static boolean isLength(String option) {
        String name = optionName(option);
        return STEP_NAMES.contains(name) || EPOCH_NAMES.contains(name);
    }

    /** Contradictions become negative. */
    private RunLength with(String name, String value) {
        boolean ofSteps = STEP_NAMES.contains(name);
        if ((!ofSteps && !EPOCH_NAMES.contains(name)) || !NUMBER.matcher(value).matches()) {
            return this;
        }
        double number = Double.parseDouble(value.replace("_", "").replace(",", ""));
        if (!(number > 0) || number > MAX) {
            return this;
        }
        if (ofSteps) {
            return new RunLength(steps == 0 || steps == (long) number ? (long) number : -1, epochs);
        }
        return new RunLength(steps, epochs == 0 || epochs == number ? number : -1);
    }

    private static String optionName(String word) {
        int start = 0;
        while (start < word.length() && (word.charAt(start) == '-' || word.charAt(start) == '+')) {
            start++;
        }
        String name = word.substring(start);
        return name.substring(name.lastIndexOf('.') + 1).replace('_', '-').toLowerCase(Locale.ROOT);
    }
}
