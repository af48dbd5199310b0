package dev.fermata.live.learn;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

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

    /** @param unsound figures that this attempt says nothing about, whatever it showed */
    KindNotes with(Measured measured, Set<Figure> unsound) {
        Map<Figure, List<Long>> next = new EnumMap<>(Figure.class);
        next.putAll(latest);
        for (Figure figure : Figure.values()) {
            long value = figure.of(measured);
            if (value >= 0 && !unsound.contains(figure)) {
                next.put(figure, plus(figure, value));
            }
        }
        return new KindNotes(next, said);
    }

    /**
     * The same after an attempt that showed {@code before} shows this: its latest value takes the place of the one it replaces. The
     * most memory it ever held stays the most.
     */
    KindNotes instead(Measured before, Measured measured, Set<Figure> unsound) {
        Map<Figure, List<Long>> next = new EnumMap<>(Figure.class);
        next.putAll(latest);
        for (Figure figure : Figure.values()) {
            long was = figure.of(before);
            long now = unsound.contains(figure) ? Measured.UNKNOWN : figure.of(measured);
            List<Long> values = new ArrayList<>(latest.getOrDefault(figure, List.of()));
            int place = was < 0 ? -1 : values.lastIndexOf(was);
            if (now >= 0 && place >= 0) {
                values.set(place, figure == Figure.PEAK_MEMORY_MIB ? Math.max(was, now) : now);
                next.put(figure, values);
            } else if (now >= 0) {
                next.put(figure, plus(figure, now));
            }
        }
        return new KindNotes(next, said);
    }

    /** The same with one more value of one figure. */
    KindNotes with(Figure figure, long value) {
        Map<Figure, List<Long>> next = new EnumMap<>(Figure.class);
        next.putAll(latest);
        next.put(figure, plus(figure, value));
        return new KindNotes(next, said);
    }

    private List<Long> plus(Figure figure, long value) {
        List<Long> values = new ArrayList<>(latest.getOrDefault(figure, List.of()));
        values.add(value);
        return values.size() > KEPT ? values.subList(values.size() - KEPT, values.size()) : values;
    }

    /** The largest of what was measured; -1 for nothing. */
    public long most(Figure figure) {
        return latest.getOrDefault(figure, List.of()).stream()
                .mapToLong(Long::longValue)
                .max()
                .orElse(Measured.UNKNOWN);
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

    /** The most memory that one GPU must have for it: what was said, else the most that was measured; -1 for nothing. */
    public long peakMemoryMib() {
        Long word = said.get(Figure.PEAK_MEMORY_MIB);
        return word != null ? word : most(Figure.PEAK_MEMORY_MIB);
    }

    public boolean knows(Figure figure) {
        return said.containsKey(figure) || latest.containsKey(figure);
    }
}
