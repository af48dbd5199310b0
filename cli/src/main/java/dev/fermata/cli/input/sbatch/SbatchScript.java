package dev.fermata.cli.input.sbatch;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A shell script as a job. Its {@code #SBATCH} lines become fields of the job file; whatever has no counterpart here is named in a
 * warning, never dropped in silence. A script without such lines is a job too.
 *
 * @param job the fields of a job file, {@code run} being the whole script
 * @param warnings a line each, beginning with file and line
 * @param carriesPaths whether the search paths of the submitting shell go with the job
 */
public record SbatchScript(ObjectNode job, List<String> warnings, boolean carriesPaths) {

    /**
     * @param environment of the submitting user: {@code --export=NAME} takes values from it
     * @param words more words of the command line, the script's arguments
     */
    public static SbatchScript read(String file, String script, Map<String, String> environment, List<String> words) {
        SbatchHeader header = SbatchHeader.read(file, script);
        SbatchTranslation translation = new SbatchTranslation(header, environment);
        ObjectNode job = translation.job();
        job.put("run", withArguments(file, script, words));
        List<String> warnings = new ArrayList<>(header.warnings());
        warnings.addAll(translation.warnings());
        return new SbatchScript(job, warnings, translation.carriesPaths());
    }

    /** Whether a file is a script rather than a job file. */
    public static boolean recognizes(String name, String text) {
        return text.startsWith("#!")
                || name.matches(".*\\.(sh|bash|sbatch|slurm)")
                || text.lines().anyMatch(line -> line.startsWith("#SBATCH"));
    }

    /** A shell sets its own arguments on the line after the first. */
    private static String withArguments(String file, String script, List<String> words) {
        if (words.isEmpty()) {
            return script;
        }
        Optional<String> first = script.lines().findFirst();
        String shell = first.orElse("");
        if (shell.startsWith("#!") && !shell.matches("#!.*\\b(sh|bash|dash|zsh|ksh)\\b.*")) {
            throw new IllegalArgumentException(
                    file + ": arguments can be given to shell scripts only; this one begins with " + shell);
        }
        StringBuilder set = new StringBuilder("set --");
        words.forEach(word ->
                set.append(' ').append('\'').append(word.replace("'", "'\\''")).append('\''));
        return shell.startsWith("#!")
                ? shell + "\n" + set + "\n" + script.substring(Math.min(script.length(), shell.length() + 1))
                : set + "\n" + script;
    }
}
