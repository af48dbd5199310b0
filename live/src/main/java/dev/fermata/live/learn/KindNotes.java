package dev.fermata.live.learn;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * All that was noted of one kind of job.
 *
 * @param latest what its attempts showed, oldest first, of each figure at most {@link #KEPT}
 * @param said what a person says instead, or brought from elsewhere: it counts before all measurements
 */
public record KindNotes(Map<Figure, List<Long>> latest, Map<Figure, Long> said) {
    /** Enough for a 90th percentile, and few enough to follow a kind that changes. */
    public static final int KEPT = 64;

    public static final KindNotes NONE = new KindNotes(Map.of(), Map.of());

    public KindNotes {
        Map<Figure, List<Long>> lists = new EnumMap<>(Figure.class);
        latest.forEach((figure, values) -> lists.put(figure, List.copyOf(values)));
        latest = java.util.Collections.unmodifiableMap(lists);
        said = Map.copyOf(said);
    }

    KindNotes with(Measured measured) {
        Map<Figure, List<Long>> next = new EnumMap<>(Figure.class);
        next.putAll(latest);
        for (Figure figure : Figure.values()) {
            long value = figure.of(measured);
            if (value >= 0) {
                List<Long> values = new ArrayList<>(latest.getOrDefault(figure, List.of()));
                values.add(value);
                next.put(figure, values.size() > KEPT ? values.subList(values.size() - KEPT, values.size()) : values);
            }
        }
        return new KindNotes(next, said);
    }

    public KindNotes saying(Map<Figure, Long> corrections) {
        return new KindNotes(latest, corrections);
    }

    public Spread spread(Figure figure) {
        return Spread.of(latest.getOrDefault(figure, List.of()));
    }

    /** What is believed of it: what was said, else the median of what was measured; -1 for nothing. */
    public long value(Figure figure) {
        Long word = said.get(figure);
        if (word != null) {
            return word;
        }
        Spread measured = spread(figure);
        return measured.count() == 0 ? Measured.UNKNOWN : measured.p50();
    }

    public boolean knows(Figure figure) {
        return said.containsKey(figure) || latest.containsKey(figure);
    }
}
