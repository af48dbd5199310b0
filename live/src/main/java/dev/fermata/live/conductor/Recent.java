package dev.fermata.live.conductor;

import dev.fermata.core.model.Job;
import java.util.ArrayDeque;

/** The jobs that came last, whatever became of them. Belongs to the conductor's thread; a restart forgets them. */
final class Recent {
    private static final int MOST = 128;

    /** Of those who come at once only a few: an array of a thousand is not followed by another thousand. */
    private static final int MOST_AT_ONCE = 4;

    private final ArrayDeque<Arrival> latest = new ArrayDeque<>();
    private long lastMillis = -1;
    private int atOnce;

    record Arrival(Job job, long atMillis) {}

    void came(Job job, long atMillis) {
        atOnce = atMillis == lastMillis ? atOnce + 1 : 1;
        lastMillis = atMillis;
        if (atOnce > MOST_AT_ONCE) {
            return;
        }
        latest.addLast(new Arrival(job, atMillis));
        if (latest.size() > MOST) {
            latest.removeFirst();
        }
    }

    Iterable<Arrival> latest() {
        return latest;
    }
}
