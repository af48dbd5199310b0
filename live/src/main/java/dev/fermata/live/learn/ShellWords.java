package dev.fermata.live.learn;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The words of a shell text, well enough to tell commands apart: quotes are honoured, nothing is filled in. */
final class ShellWords {
    private static final Pattern ASSIGNMENT = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*=.*");
    /** Words before a command that do nothing themselves. */
    private static final Set<String> LEADING = Set.of("exec", "do", "then", "else", "{", "!", "time", "nohup");

    private final List<List<String>> commands = new ArrayList<>();
    private List<String> command = new ArrayList<>();
    private final StringBuilder word = new StringBuilder();
    private boolean inWord;
    /** Whether the next word says where output goes. */
    private boolean target;

    private ShellWords() {}

    /** The commands of a text; comments, leading assignments, words like {@code exec} and where output goes are left out. */
    static List<List<String>> commands(String text) {
        ShellWords reader = new ShellWords();
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
                i = redirected(text, i);
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

    /** Output goes elsewhere, as in {@code 2>&1} or {@code &>> log}; answers where the last of these signs is. */
    private int redirected(String text, int at) {
        if (word.chars().allMatch(Character::isDigit)) {
            word.setLength(0); // the number of the stream
            inWord = false;
        }
        endWord();
        target = true;
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
        boolean leading = command.isEmpty() && (ASSIGNMENT.matcher(text).matches() || LEADING.contains(text));
        if (inWord && !leading && !target) {
            command.add(text);
        }
        target &= !inWord;
        word.setLength(0);
        inWord = false;
    }

    private void endCommand() {
        endWord();
        target = false;
        if (!command.isEmpty()) {
            commands.add(command);
            command = new ArrayList<>();
        }
    }
}
