package dev.fermata.live.spec;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Parses {@code progress} of a job document. The daemon matches the pattern against output, with bounded work. */
final class ProgressSpecParser {
    static final int MAX_PATTERN = 300;
    private static final int MAX_TOTAL = Integer.MAX_VALUE;

    private ProgressSpecParser() {}

    static JobSpec.ProgressSpec parse(DocumentFields progress) {
        JobSpec.ProgressSpec read = new JobSpec.ProgressSpec(
                progress.text("pattern", "", text -> pattern(progress.path("pattern"), text)),
                progress.whole("total", 0, 1, MAX_TOTAL));
        progress.rejectUnknown();
        return read;
    }

    private static String pattern(String path, String text) {
        if (text.isBlank() || text.length() > MAX_PATTERN) {
            throw new IllegalArgumentException(path + " must have 1 to " + MAX_PATTERN + " characters");
        }
        try {
            if (Pattern.compile(text).matcher("").groupCount() < 1) {
                throw new IllegalArgumentException(path
                        + " needs a group for what is done, such as 'step (\\d+)/(\\d+)'; a second one is the total");
            }
        } catch (PatternSyntaxException | StackOverflowError e) {
            throw new IllegalArgumentException(path + " is not a regular expression: " + text, e);
        }
        return text;
    }
}
