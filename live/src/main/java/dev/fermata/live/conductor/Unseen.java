package dev.fermata.live.conductor;

import dev.fermata.core.model.Trial;
import dev.fermata.live.learn.Figure;
import dev.fermata.live.learn.Kind;
import dev.fermata.live.learn.KindBook;
import dev.fermata.live.learn.Noted;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Kinds of which neither the time of a step nor the memory is known, as long as it is worth while to let one of their jobs run first.
 * It is tried once for each of them: whoever waited for a profile in vain waits for no second one.
 */
final class Unseen {
    /** As many kinds as are remembered to have shown nothing; the oldest are tried again. */
    private static final int REMEMBERED = 5_000;

    private static final int HEX = 16;

    private final KindBook book;
    private final long waitMillis;
    private final Set<Long> over = Collections.newSetFromMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
            return size() > REMEMBERED;
        }
    });

    /** @param waitMillis how long others wait for the first of their kind; 0 when nobody is to wait */
    Unseen(KindBook book, long waitMillis) {
        this.book = book;
        this.waitMillis = waitMillis;
    }

    /** What a job of this kind is marked with. */
    Trial trial(Kind kind) {
        if (waitMillis == 0) {
            return Trial.NONE;
        }
        Noted notes = book.noted(kind);
        if (notes.knows(Figure.ITERATION_MICROS) || notes.knows(Figure.PEAK_MEMORY_MIB)) {
            return Trial.NONE;
        }
        Trial trial = new Trial(1 + Long.parseLong(kind.id(), HEX), waitMillis);
        return over.contains(trial.kind()) ? Trial.NONE : trial;
    }

    /** The first of this kind has shown what it shows, or has left, or was waited for long enough. */
    void over(Trial trial) {
        over.add(trial.kind());
    }
}
