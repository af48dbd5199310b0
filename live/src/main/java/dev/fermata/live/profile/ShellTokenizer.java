package dev.fermata.live.profile;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Splits a shell text into commands and words. It honours quotes and expands nothing. */
public final class ShellTokenizer {
    private static final Pattern ASSIGNMENT = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*=.*");
    /** Prefixes of a command that do nothing themselves. */
    private static final Set<String> IGNORED_PREFIXES = Set.of("exec", "do", "then", "else", "{", "!", "time", "nohup");

    private final List<List<String>> commands = new ArrayList<>();
    private List<String> command = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private boolean inWord;
    /** Whether the next word is the target of a redirection. */
    private boolean redirectTarget;

    private ShellTokenizer() {}

    /** The commands of a text without comments, leading assignments, prefixes such as {@code exec}, and redirections. */
    public static List<List<String>> commands(String text) {
        ShellTokenizer reader = new ShellTokenizer();
        reader.read(text.replace("\\\n", " "));
        return reader.commands;
    }

    private void read(String text) {
        char quote = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quote != 0) {
                if (c == quote) {
                    quote = 0;
                } else {
                    word.append(c);
                }
            } else if (c == '\'' || c == '"') {
                quote = c;
                inWord = true;
            } else if (c == '\\' && i + 1 < text.length()) {
                add(text.charAt(++i));
            } else if (c == '#' && !inWord) {
                int end = text.indexOf('\n', i);
                i = end < 0 ? text.length() : end - 1;
            } else if (c == '>' || text.startsWith("&>", i)) {
                i = skipRedirect(text, i);
            } else if (c == '\n' || c == ';' || c == '|' || c == '&' || c == '(' || c == ')') {
                endCommand();
            } else if (Character.isWhitespace(c)) {
                endWord();
            } else {
                add(c);
            }
        }
        endCommand();
    }

    /** Skips a redirection such as {@code 2>&1} or {@code &>> log}; returns the index of its last sign. */
    private int skipRedirect(String text, int at) {
        if (word.chars().allMatch(Character::isDigit)) {
            word.setLength(0); // the number of the stream
            inWord = false;
        }
        endWord();
        redirectTarget = true;
        int last = at;
        while (last + 1 < text.length() && ">&|".indexOf(text.charAt(last + 1)) >= 0) {
            last++;
        }
        return last;
    }

    private void add(char c) {
        word.append(c);
        inWord = true;
    }

    private void endWord() {
        String text = word.toString();
        boolean leading = command.isEmpty() && (ASSIGNMENT.matcher(text).matches() || IGNORED_PREFIXES.contains(text));
        if (inWord && !leading && !redirectTarget) {
            command.add(text);
        }
        redirectTarget &= !inWord;
        word.setLength(0);
        inWord = false;
    }

    private void endCommand() {
        endWord();
        redirectTarget = false;
        if (!command.isEmpty()) {
            commands.add(command);
            command = new ArrayList<>();
        }
    }
}
