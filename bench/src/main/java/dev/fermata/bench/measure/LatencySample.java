package dev.fermata.bench.measure;

import java.util.Arrays;

/** A growing sample of step times. */
public final class LatencySample {
    private long[] nanos = new long[1024];
    private int count;

    void add(long value) {
        if (count == nanos.length) {
            nanos = Arrays.copyOf(nanos, count * 2);
        }
        nanos[count++] = value;
    }

    void addAll(LatencySample others) {
        for (int i = 0; i < others.count; i++) {
            add(others.nanos[i]);
        }
    }

    public int count() {
        return count;
    }

    /** Nearest rank, in microseconds; 100 is the maximum. */
    public double percentileMicros(double percent) {
        if (count == 0) {
            return 0;
        }
        long[] sorted = Arrays.copyOf(nanos, count);
        Arrays.sort(sorted);
        int rank = (int) Math.ceil(percent / 100 * count);
        return sorted[Math.max(0, Math.min(count, rank) - 1)] / 1000.0;
    }
}
