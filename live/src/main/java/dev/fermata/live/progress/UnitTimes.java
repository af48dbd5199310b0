package dev.fermata.live.progress;

import java.util.ArrayList;
import java.util.List;

/**
 * The time of a unit of progress, by the clock. It is taken over the latter half of what is known, so that it includes evaluations and
 * checkpoints and follows a change of speed. A few samples are kept, evenly spread.
 */
final class UnitTimes {
    private static final int MAX_SAMPLES = 64;

    private record Sample(long millis, long current) {}

    private List<Sample> samples = new ArrayList<>();
    private long total = -1;
    /** Only every so many samples are kept. */
    private int keepEvery = 1;

    private int skipped;

    /** @param ofTotal another total is another counter, which starts again */
    void add(long nowMillis, long current, long ofTotal) {
        Sample last = samples.isEmpty() ? null : samples.get(samples.size() - 1);
        if (ofTotal != total || (last != null && current < last.current)) {
            samples = new ArrayList<>();
            total = ofTotal;
            keepEvery = 1;
            last = null;
        }
        if (last != null && current == last.current) {
            return;
        }
        if (++skipped < keepEvery && !samples.isEmpty()) {
            return;
        }
        skipped = 0;
        samples.add(new Sample(nowMillis, current));
        if (samples.size() > MAX_SAMPLES) {
            List<Sample> half = new ArrayList<>();
            for (int i = 0; i < samples.size(); i += 2) {
                half.add(samples.get(i));
            }
            samples = half;
            keepEvery *= 2;
        }
    }

    /** Microseconds per unit until now; 0 for unknown. */
    long micros(long nowMillis, long current) {
        if (samples.isEmpty()) {
            return 0;
        }
        // The first sample is what the first line showed: what came before it is the load.
        long middle = samples.get(0).millis + (nowMillis - samples.get(0).millis) / 2;
        Sample from = samples.get(0);
        for (Sample each : samples) {
            from = each.millis <= middle ? each : from;
        }
        long done = current - from.current;
        long spent = nowMillis - from.millis;
        return done <= 0 || spent <= 0 ? 0 : Math.max(1, spent * 1000 / done);
    }
}
