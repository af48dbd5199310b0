package dev.fermata.engine.slurm;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One line of {@code scontrol --oneliner show}: pairs of a key and a value, which may hold spaces. Users choose some of the
 * values, so the first of equal keys counts.
 */
record OneLine(String text, Map<String, String> values) {
    private static final Pattern KEY = Pattern.compile("(?:^|\\s)([A-Za-z][A-Za-z0-9_/:]*)=");

    static OneLine parse(String line) {
        Map<String, String> values = new LinkedHashMap<>();
        Matcher matcher = KEY.matcher(line);
        String key = "";
        int from = 0;
        while (matcher.find()) {
            if (!key.isEmpty()) {
                values.putIfAbsent(key, line.substring(from, matcher.start()).strip());
            }
            key = matcher.group(1);
            from = matcher.end();
        }
        if (!key.isEmpty()) {
            values.putIfAbsent(key, line.substring(from).strip());
        }
        return new OneLine(line, values);
    }

    /** Empty for a key that is missing or has no value. */
    String get(String key) {
        String value = values.getOrDefault(key, "");
        return value.equals("(null)") || value.equals("N/A") || value.equals("None") ? "" : value;
    }

    /** The number at the beginning of a value, otherwise this one. */
    long number(String key, long otherwise) {
        String value = get(key);
        int end = 0;
        while (end < value.length() && Character.isDigit(value.charAt(end))) {
            end++;
        }
        return end == 0 || end > 18 ? otherwise : Long.parseLong(value.substring(0, end));
    }
}
