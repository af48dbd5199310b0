package dev.fermata.cli.input.sbatch;

import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times as Slurm writes them: {@code 30}, {@code 30:00}, {@code 12:00:00}, {@code 1-12}, {@code 1-12:30}, {@code 1-12:30:00}. */
final class SlurmTime {
    private static final Pattern FORM = Pattern.compile("(?:(\\d+)-)?(\\d+)(?::(\\d+))?(?::(\\d+))?");

    private SlurmTime() {}

    /** Seconds; empty for no limit. A number without a colon is minutes. */
    static OptionalLong seconds(SbatchDirective from, String text) {
        String word = text.strip().toUpperCase(Locale.ROOT);
        if (word.equals("UNLIMITED") || word.equals("INFINITE") || word.equals("0")) {
            return OptionalLong.empty();
        }
        Matcher m = FORM.matcher(word);
        if (!m.matches() || word.length() > 24) {
            throw from.error("must be a time such as 30 (minutes), 12:00:00 or 2-12:00 (days-hours:minutes)");
        }
        try {
            long first = Long.parseLong(m.group(2));
            long second = part(m.group(3));
            long third = part(m.group(4));
            if (m.group(1) != null) {
                return OptionalLong.of(((Long.parseLong(m.group(1)) * 24 + first) * 60 + second) * 60 + third);
            }
            // minutes, minutes:seconds or hours:minutes:seconds
            return OptionalLong.of(m.group(4) != null ? (first * 60 + second) * 60 + third : first * 60 + second);
        } catch (NumberFormatException e) {
            throw from.error("is too long a time");
        }
    }

    private static long part(@org.jspecify.annotations.Nullable String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }
}
