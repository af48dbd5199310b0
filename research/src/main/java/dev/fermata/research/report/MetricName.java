package dev.fermata.research.report;

import dev.fermata.insight.format.HumanFormat;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A finding's metric as people read it. Metrics are named in camel case, and the last word says the type of number:
 * {@code …Factor}, {@code …Ratio} or {@code …Speedup} are read as a factor, {@code …Seconds} as a time, counts
 * as they are, and everything else is a fraction, shown in percent.
 */
public record MetricName(String name) {
    private static final Pattern WORD = Pattern.compile("[A-Z]?[a-z]+[0-9]*|[A-Z]+(?![a-z])[0-9]*|[0-9]+");
    private static final Set<String> TIMES = Set.of("factor", "ratio", "speedup", "times", "improvement", "faster");
    private static final Set<String> COUNTS = Set.of(
            "failures",
            "count",
            "ooms",
            "oom",
            "evictions",
            "preemptions",
            "pauses",
            "jobs",
            "victims",
            "slowdown",
            "wins");
    private static final Map<String, String> SPELLING = Map.of(
            "jct", "JCT", "jcts", "JCTs", "oom", "OOM", "ooms", "OOMs", "gpu", "GPU", "te", "TE", "be", "BE", "vs",
            "vs.");

    /** Such as "mean JCT reduction" for {@code meanJctReduction}. */
    public String text() {
        return String.join(
                " ", split().stream().map(w -> SPELLING.getOrDefault(w, w)).toList());
    }

    public String format(double value) {
        if (!Double.isFinite(value)) {
            return "–";
        }
        return switch (unit()) {
            case TIMES -> number(value) + "×";
            case COUNT -> number(value);
            case SECONDS -> HumanFormat.time(value);
            case MILLIS -> number(value) + " ms";
            case FRACTION -> percent(value, decimals(value));
        };
    }

    /** Half an interval, as fine as the value it belongs to. */
    public String formatHalfWidth(double half, double of) {
        return unit() == MetricUnit.FRACTION && Double.isFinite(half) ? percent(half, decimals(of)) : format(half);
    }

    /** A round value on an axis, without the decimals of {@link #format}. */
    public String tick(double value) {
        return switch (unit()) {
            case FRACTION -> plain(value * 100) + " %";
            case TIMES -> plain(value) + "×";
            case COUNT -> plain(value);
            case SECONDS -> value == 0 ? "0s" : HumanFormat.time(value);
            case MILLIS -> plain(value) + " ms";
        };
    }

    private enum MetricUnit {
        FRACTION,
        TIMES,
        COUNT,
        SECONDS,
        MILLIS
    }

    private MetricUnit unit() {
        List<String> words = split();
        String last = words.isEmpty() ? "" : words.get(words.size() - 1);
        if (TIMES.contains(last)) {
            return MetricUnit.TIMES;
        }
        if (COUNTS.contains(last)) {
            return MetricUnit.COUNT;
        }
        return last.equals("seconds")
                ? MetricUnit.SECONDS
                : last.equals("millis") ? MetricUnit.MILLIS : MetricUnit.FRACTION;
    }

    private List<String> split() {
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(name);
        while (word.find()) {
            words.add(word.group().toLowerCase(Locale.ROOT));
        }
        return words;
    }

    /** Published figures have one decimal, small ones two. */
    private static int decimals(double value) {
        return Math.abs(value) < 0.0995 ? 2 : 1;
    }

    private static String percent(double value, int decimals) {
        String size = String.format(Locale.ROOT, "%,." + decimals + "f", Math.abs(value) * 100);
        boolean zero = size.matches("[0.]+");
        return (value < 0 && !zero ? "−" : "") + size + " %";
    }

    private static String plain(double value) {
        BigDecimal number = BigDecimal.valueOf(value).round(new MathContext(6)).stripTrailingZeros();
        return number.toPlainString().replace('-', '−');
    }

    private static String number(double value) {
        String size = value == Math.rint(value) && Math.abs(value) < 1e15
                ? HumanFormat.count((long) Math.abs(value))
                : HumanFormat.number(Math.abs(value));
        return (value < 0 ? "−" : "") + size;
    }
}
