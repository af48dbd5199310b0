package dev.fermata.cli.input.sbatch;

import dev.fermata.core.policy.Suggestion;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The {@code #SBATCH} lines of a script. As in Slurm they end at the first command; what comes after it is not read, and said.
 *
 * @param warnings what is not understood or comes too late, a line each
 * @param srunLine where the script calls srun first, 0 for nowhere
 */
record SbatchHeader(String file, List<SbatchDirective> directives, List<String> warnings, int srunLine) {
    private static final String PREFIX = "#SBATCH";
    private static final Pattern SRUN = Pattern.compile("(^|[\\s;&|(`])srun(\\s|$)");

    static SbatchHeader read(String file, String script) {
        List<SbatchDirective> directives = new ArrayList<>();
        List<String> warnings = new ArrayList<>();
        boolean inHeader = true;
        int number = 0;
        int srun = 0;
        for (String line : script.lines().toList()) {
            number++;
            String text = line.strip();
            if (line.startsWith(PREFIX)) {
                if (inHeader) {
                    options(file, number, line.substring(PREFIX.length()), directives, warnings);
                } else {
                    warnings.add(file + ":" + number
                            + ": #SBATCH after the first command is ignored, as in Slurm; move it up to count");
                }
            } else if (!text.isEmpty() && !text.startsWith("#")) {
                inHeader = false;
                srun = srun == 0 && SRUN.matcher(text).find() ? number : srun;
            }
        }
        return new SbatchHeader(file, directives, warnings, srun);
    }

    private static void options(
            String file, int number, String text, List<SbatchDirective> directives, List<String> warnings) {
        List<String> words = words(file, number, text);
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (word.equals("hetjob") || word.equals("packjob") || word.equals(":")) {
                throw new IllegalArgumentException(file + ":" + number
                        + ": heterogeneous jobs (hetjob) are not supported; submit a script for each part");
            }
            String name;
            String value = "";
            boolean joined = false;
            if (word.startsWith("--")) {
                int equals = word.indexOf('=');
                joined = equals > 0;
                name = joined ? word.substring(2, equals) : word.substring(2);
                value = joined ? word.substring(equals + 1) : "";
            } else if (word.length() > 1 && word.charAt(0) == '-') {
                name = SbatchOptions.ofLetter(word.charAt(1));
                value = word.substring(2);
                joined = !value.isEmpty();
                value = value.startsWith("=") ? value.substring(1) : value;
            } else {
                warnings.add(file + ":" + number + ": #SBATCH: '" + word + "' is no option; ignored");
                continue;
            }
            if (!SbatchOptions.all().contains(name)) {
                String known = name.isEmpty() ? "" : Suggestion.didYouMean(name, SbatchOptions.all());
                warnings.add(file + ":" + number + ": #SBATCH " + (name.isEmpty() ? word : "--" + name)
                        + " is no option of sbatch; ignored." + (known.startsWith(" Did") ? known : ""));
                continue;
            }
            if (!joined && SbatchOptions.takesNextWord(name)) {
                if (i + 1 == words.size()) {
                    throw new IllegalArgumentException(
                            file + ":" + number + ": #SBATCH --" + name + " needs a value: --" + name + "=VALUE");
                }
                value = words.get(++i);
            }
            directives.add(new SbatchDirective(file, number, name, SbatchOptions.takesNoValue(name) ? "" : value));
        }
    }

    /** Splits like a shell: quotes keep spaces, and an unquoted # begins a remark. */
    static List<String> words(String file, int number, String text) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean within = false;
        char quote = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quote != 0) {
                if (c == quote) {
                    quote = 0;
                } else {
                    word.append(c);
                }
            } else if (c == '"' || c == '\'') {
                quote = c;
                within = true;
            } else if (Character.isWhitespace(c)) {
                if (within) {
                    words.add(word.toString());
                    word.setLength(0);
                    within = false;
                }
            } else if (c == '#' && !within) {
                break;
            } else {
                word.append(c == '\\' && i + 1 < text.length() ? text.charAt(++i) : c);
                within = true;
            }
        }
        if (quote != 0) {
            throw new IllegalArgumentException(
                    file + ":" + number + ": #SBATCH: a quote (" + quote + ") is not closed");
        }
        if (within) {
            words.add(word.toString());
        }
        return words;
    }
}
