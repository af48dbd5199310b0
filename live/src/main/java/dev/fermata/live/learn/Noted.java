package dev.fermata.live.learn;

import java.util.Map;

/** What was noted of one kind of job, and what is believed of it. */
public interface Noted {
    /** What a person says, or brought from elsewhere: it counts before all measurements. */
    Map<Figure, Long> said();

    /** What was measured of late. */
    Spread spread(Figure figure);

    /** The largest of what was measured; -1 for nothing. */
    long most(Figure figure);

    boolean knows(Figure figure);

    /** What is believed of it: what was said, else the median of what was measured; -1 for nothing. */
    default long value(Figure figure) {
        Long word = said().get(figure);
        if (word != null) {
            return word;
        }
        Spread measured = spread(figure);
        return measured.count() == 0 ? Measured.UNKNOWN : measured.p50();
    }

    /** The most memory that one GPU must have for it: what was said, else the most that was measured; -1 for nothing. */
    default long peakMemoryMib() {
        Long word = said().get(Figure.PEAK_MEMORY_MIB);
        return word != null ? word : most(Figure.PEAK_MEMORY_MIB);
    }
}
