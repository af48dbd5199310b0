package dev.fermata.live.loop;

import dev.fermata.core.model.Job;
import java.util.ArrayDeque;

/** The jobs that arrived last, live or not. Only the scheduler loop's thread uses it; a restart empties it. */
public final class RecentArrivals {
    private static final int CAPACITY = 128;

    /** Arrivals kept of one moment: an array of a thousand jobs does not predict another thousand. */
    private static final int MAX_AT_ONCE = 4;

    private final ArrayDeque<ArrivedJob> latest = new ArrayDeque<>();
    private long lastMillis = -1;
    private int atOnce;

    public record ArrivedJob(Job job, long atMillis) {}

    void add(Job job, long atMillis) {
        atOnce = atMillis == lastMillis ? atOnce + 1 : 1;
        lastMillis = atMillis;
        if (atOnce > MAX_AT_ONCE) {
            return;
        }
        latest.addLast(new ArrivedJob(job, atMillis));
        if (latest.size() > CAPACITY) {
            latest.removeFirst();
        }
    }

    public Iterable<ArrivedJob> latest() {
        return latest;
    }
}
