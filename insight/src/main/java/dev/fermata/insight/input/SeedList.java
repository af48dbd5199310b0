package dev.fermata.insight.input;

import dev.fermata.core.text.Quantity;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Seeds as {@code 1..5}, {@code 1,2,3}, or both mixed. */
public final class SeedList {
    private static final int MAX = 10_000;

    private SeedList() {}

    public static List<Long> parse(String text) {
        Set<Long> seeds = new LinkedHashSet<>();
        for (String part : text.split(",", -1)) {
            int dots = part.indexOf("..");
            long from = seed(text, dots < 0 ? part : part.substring(0, dots));
            long to = dots < 0 ? from : seed(text, part.substring(dots + 2));
            if (to < from || to - from >= MAX || to - from < 0) {
                throw Quantity.invalid("--seeds", text, "has a range '" + part + "' that is backwards or too long");
            }
            for (long seed = from; seed <= to; seed++) {
                if (!seeds.add(seed)) {
                    throw Quantity.invalid("--seeds", text, "names seed " + seed + " twice");
                }
                if (seed == Long.MAX_VALUE) {
                    break;
                }
            }
        }
        if (seeds.size() > MAX) {
            throw Quantity.invalid("--seeds", text, "names more than " + MAX + " seeds");
        }
        return List.copyOf(seeds);
    }

    /** The other way round: {@code 1..5} for a run of seeds, else each of them. */
    public static String format(List<Long> seeds) {
        long first = seeds.get(0);
        boolean run = seeds.size() > 2 && IntStream.range(0, seeds.size()).allMatch(i -> seeds.get(i) == first + i);
        return run
                ? first + ".." + seeds.get(seeds.size() - 1)
                : seeds.stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    private static long seed(String text, String written) {
        try {
            return Long.parseLong(written.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "--seeds (" + text + ") must be whole numbers such as 1..5 or 1,2,3; '" + written + "' is not", e);
        }
    }
}
