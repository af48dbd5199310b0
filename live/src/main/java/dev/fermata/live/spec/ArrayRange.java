package dev.fermata.live.spec;

import dev.fermata.core.text.Quantity;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The indexes of an array as users write them: {@code 0-31}, {@code 1,3,8-20:4}, and after {@code %} the most jobs that run at
 * a time.
 *
 * @param maxRunning 0 for no limit
 */
record ArrayRange(SortedSet<Integer> indexes, int maxRunning) {
    static final int MAX_JOBS = 10_000;
    private static final int MAX_INDEX = 1_000_000;
    private static final Pattern PART = Pattern.compile("([0-9]{1,9})(?:-([0-9]{1,9})(?::([0-9]{1,9}))?)?");
    private static final String EXPECTED = "must be a range such as 0-31, 0-31%4 or 1,3,8-20:4";

    static ArrayRange parse(String what, String text) {
        String[] halves = text.strip().split("%", -1);
        if (halves.length > 2) {
            throw error(what, text, EXPECTED);
        }
        int maxRunning = halves.length == 2 ? (int) Quantity.integer(what + " after %", halves[1], 1, MAX_JOBS) : 0;
        SortedSet<Integer> indexes = new TreeSet<>();
        for (String part : halves[0].split(",", -1)) {
            Matcher m = PART.matcher(part.strip());
            if (!m.matches()) {
                throw error(what, text, EXPECTED);
            }
            int from = Integer.parseInt(m.group(1));
            int to = m.group(2) == null ? from : Integer.parseInt(m.group(2));
            int step = m.group(3) == null ? 1 : Integer.parseInt(m.group(3));
            if (to < from || to > MAX_INDEX || step == 0) {
                throw error(what, text, "must count upwards from 0 to at most " + MAX_INDEX);
            }
            for (long i = from; i <= to; i += step) {
                indexes.add((int) i);
                if (indexes.size() > MAX_JOBS) {
                    throw error(what, text, "must not have more than " + MAX_JOBS + " jobs");
                }
            }
        }
        return new ArrayRange(indexes, maxRunning);
    }

    private static IllegalArgumentException error(String what, String text, String rule) {
        return Quantity.invalid(what, DocumentFields.abbreviate(text), rule);
    }
}
