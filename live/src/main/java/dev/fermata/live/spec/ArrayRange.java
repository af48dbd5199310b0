package dev.fermata.live.spec;

import dev.fermata.core.text.Quantity;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The jobs of an array as users write them: {@code 0-31}, {@code 1,3,8-20:4}, and behind a {@code %} how many may be on GPUs at once.
 *
 * @param atMost 0 for no limit
 */
record ArrayRange(SortedSet<Integer> indexes, int atMost) {
    static final int MOST_JOBS = 10_000;
    private static final int MOST_INDEX = 1_000_000;
    private static final Pattern PART = Pattern.compile("([0-9]{1,9})(?:-([0-9]{1,9})(?::([0-9]{1,9}))?)?");
    private static final String RULE = "must be a range such as 0-31, 0-31%4 or 1,3,8-20:4";

    static ArrayRange parse(String what, String text) {
        String[] halves = text.strip().split("%", -1);
        if (halves.length > 2) {
            throw wrong(what, text, RULE);
        }
        int atMost = halves.length == 2 ? (int) Quantity.whole(what + " after %", halves[1], 1, MOST_JOBS) : 0;
        SortedSet<Integer> indexes = new TreeSet<>();
        for (String part : halves[0].split(",", -1)) {
            Matcher m = PART.matcher(part.strip());
            if (!m.matches()) {
                throw wrong(what, text, RULE);
            }
            int from = Integer.parseInt(m.group(1));
            int to = m.group(2) == null ? from : Integer.parseInt(m.group(2));
            int step = m.group(3) == null ? 1 : Integer.parseInt(m.group(3));
            if (to < from || to > MOST_INDEX || step == 0) {
                throw wrong(what, text, "must count upwards from 0 to at most " + MOST_INDEX);
            }
            for (long i = from; i <= to; i += step) {
                indexes.add((int) i);
                if (indexes.size() > MOST_JOBS) {
                    throw wrong(what, text, "must not have more than " + MOST_JOBS + " jobs");
                }
            }
        }
        return new ArrayRange(indexes, atMost);
    }

    private static IllegalArgumentException wrong(String what, String text, String rule) {
        return Quantity.wrong(what, Fields.cut(text), rule);
    }
}
