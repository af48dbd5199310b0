package dev.fermata.report.text;

import java.util.List;
import java.util.stream.Collectors;

/** A command line that can be typed again, quoted where a shell needs it. */
public final class ShellCommand {
    private ShellCommand() {}

    /** @param typed the arguments as they came from the shell */
    public static String of(List<String> typed) {
        return "fermata " + line(typed);
    }

    /** Words as one line for a shell. */
    public static String line(List<String> words) {
        return words.stream().map(ShellCommand::quoted).collect(Collectors.joining(" "));
    }

    private static String quoted(String word) {
        return word.matches("[\\w@%+=:,./-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
