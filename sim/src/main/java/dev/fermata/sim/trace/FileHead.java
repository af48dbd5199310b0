package dev.fermata.sim.trace;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The beginning of a file: enough to recognise its format.
 *
 * @param complete whether this is all of it
 */
public record FileHead(Path file, String text, boolean complete) {
    static final int CHARS = 1 << 16;
    private static final Pattern JSON_KEY = Pattern.compile("\"([A-Za-z_]+)\"\\s*:");
    private static final int LINES = 50;

    /** Nothing but spaces. */
    public boolean isBlank() {
        return text.isBlank();
    }

    /** Complete lines that are not blank, without the spaces around them; the first few. */
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        int from = 0;
        while (from < text.length() && lines.size() < LINES) {
            int end = text.indexOf('\n', from);
            if (end < 0 && !complete) {
                break;
            }
            String line = text.substring(from, end < 0 ? text.length() : end);
            if (!line.isBlank()) {
                lines.add(line.strip());
            }
            from = end < 0 ? text.length() : end + 1;
        }
        return lines;
    }

    /** The names in the first line, taken as the header of a CSV file. */
    public Set<String> columns() {
        List<String> lines = lines();
        Set<String> names = new LinkedHashSet<>();
        if (!lines.isEmpty()) {
            for (String cell : lines.get(0).split(",", -1)) {
                String name = cell.strip();
                boolean quoted = name.length() > 1 && name.startsWith("\"") && name.endsWith("\"");
                names.add(quoted ? name.substring(1, name.length() - 1) : name);
            }
        }
        return names;
    }

    /** The keys of a JSON list of objects, as far as it can be seen; empty for anything else. */
    public Set<String> jsonKeys() {
        Set<String> keys = new LinkedHashSet<>();
        String start = text.stripLeading();
        if (start.startsWith("[") && start.substring(1).stripLeading().startsWith("{")) {
            Matcher key = JSON_KEY.matcher(start);
            while (key.find()) {
                keys.add(key.group(1));
            }
        }
        return keys;
    }

    /** The first line, fit to be quoted in a message. */
    public String firstLine() {
        int end = text.indexOf('\n');
        return TraceException.quote((end < 0 ? text : text.substring(0, end)).strip());
    }
}
