package dev.fermata.live.learn;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * All that was noted of one kind of job, as it is written down and shown. It never changes.
 *
 * @param latest what its attempts showed, oldest first, of each figure at most {@link #KEPT}
 * @param said what a person says instead, or brought from elsewhere: it counts before all measurements
 */
public record KindNotes(Map<Figure, List<Long>> latest, Map<Figure, Long> said) implements Noted {
    /** Enough for a 90th percentile, and few enough to follow a kind that changes. */
    public static final int KEPT = 64;

    public static final KindNotes NONE = new KindNotes(Map.of(), Map.of());

    public KindNotes {
        Map<Figure, List<Long>> lists = new EnumMap<>(Figure.class);
        latest.forEach((figure, values) -> lists.put(figure, List.copyOf(values)));
        latest = Collections.unmodifiableMap(lists);
        said = Map.copyOf(said);
    }

    public KindNotes saying(Map<Figure, Long> corrections) {
        return new KindNotes(latest, corrections);
    }

    @Override
    public Spread spread(Figure figure) {
        return Spread.of(latest.getOrDefault(figure, List.of()));
    }

    @Override
    public long most(Figure figure) {
        return latest.getOrDefault(figure, List.of()).stream()
                .mapToLong(Long::longValue)
                .max()
                .orElse(Measured.UNKNOWN);
    }

    @Override
    public boolean knows(Figure figure) {
        return said.containsKey(figure) || latest.containsKey(figure);
    }
}
