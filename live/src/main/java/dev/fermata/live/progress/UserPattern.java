package dev.fermata.live.progress;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * How a user says that progress is printed. The first group of a regular expression is what is done; the second,
 * if it has one, is the total. A pattern that costs too much is given up.
 */
public final class UserPattern {
    public static final int MAX_LENGTH = 300;

    private final Pattern pattern;
    private final long total;
    private boolean givenUp;

    /**
     * @param total units in all, 0 where the second group or the command says it
     * @throws IllegalArgumentException if the pattern is none, or has no group
     */
    public UserPattern(String pattern, long total) {
        try {
            this.pattern = Pattern.compile(pattern);
        } catch (PatternSyntaxException | StackOverflowError e) {
            throw new IllegalArgumentException("is not a regular expression", e);
        }
        if (this.pattern.matcher("").groupCount() < 1) {
            throw new IllegalArgumentException(
                    "needs a group for what is done, such as 'step (\\d+)', and may have a second one for the total");
        }
        this.total = total;
    }

    @Nullable
    ProgressLine read(String line) {
        if (givenUp) {
            return null;
        }
        try {
            Matcher m = pattern.matcher(new BoundedText(line));
            if (!m.find()) {
                return null;
            }
            long current = Numbers.whole(m.group(1));
            long inLine = m.groupCount() > 1 ? Numbers.whole(m.group(2)) : 0;
            return current < 0 ? null : ProgressLine.run("pattern", current, inLine > 0 ? inLine : total);
        } catch (BoundedText.TooManyReadsException | StackOverflowError e) {
            givenUp = true;
            return null;
        }
    }
}
