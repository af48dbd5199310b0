package dev.fermata.live.learn;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What is remembered of one kind of job: changed in place by every attempt, and copied only when somebody wants to keep it. */
final class KindMemory implements Noted {
    private final Map<Figure, Latest> latest = new EnumMap<>(Figure.class);
    private Map<Figure, Long> said = Map.of();

    /** When something was last added. */
    long atMillis;
    /** The line of the history up to which everything was known when it was last read from the store. */
    long knownSeq;
    /** How many kinds it stands for, where it is of a command and model anywhere. */
    int kinds;
    /** Whether the store does not have all of it as a row yet. */
    boolean unwritten;

    void add(Figure figure, long value) {
        Latest values = latest.get(figure);
        if (values == null) {
            values = new Latest(KindNotes.KEPT);
            latest.put(figure, values);
        }
        values.add(value);
    }

    /** The same attempt says better what it said before. The most memory it ever held stays the most. */
    void replace(Figure figure, long before, long value) {
        Latest values = latest.get(figure);
        long better = figure == Figure.PEAK_MEMORY_MIB ? Math.max(before, value) : value;
        if (before < 0 || values == null || !values.replace(before, better)) {
            add(figure, value);
        }
    }

    void replaceBy(KindNotes notes) {
        latest.clear();
        notes.latest().forEach((figure, values) -> values.forEach(value -> add(figure, value)));
        said = notes.said();
    }

    KindNotes copy() {
        Map<Figure, List<Long>> values = new EnumMap<>(Figure.class);
        latest.forEach((figure, all) -> values.put(figure, all.values()));
        return new KindNotes(values, said);
    }

    @Override
    public Map<Figure, Long> said() {
        return said;
    }

    @Override
    public Spread spread(Figure figure) {
        Latest values = latest.get(figure);
        return values == null ? Spread.NONE : values.spread();
    }

    @Override
    public long value(Figure figure) {
        Long word = said.get(figure);
        Latest values = latest.get(figure);
        return word != null ? word : values == null ? Measured.UNKNOWN : values.quantile(0.5);
    }

    @Override
    public long most(Figure figure) {
        Latest values = latest.get(figure);
        return values == null ? Measured.UNKNOWN : values.most();
    }

    @Override
    public boolean knows(Figure figure) {
        return said.containsKey(figure) || latest.containsKey(figure);
    }
}
