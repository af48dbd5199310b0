package dev.fermata.live.access;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * So many a second for each name, and a few more at once after a rest (token bucket). Remembers a bounded number of names: those
 * not seen for longest are forgotten, which only ever lets somebody through.
 */
public final class Allowance {
    private static final int MOST_NAMES = 20_000;
    private static final double NANOS = 1e9;

    private static final class Bucket {
        private double level;
        private long atNanos;

        Bucket(double level, long atNanos) {
            this.level = level;
            this.atNanos = atNanos;
        }
    }

    private final double perSecond;
    private final double atOnce;
    private final LongSupplier nanos;
    private final Map<String, Bucket> buckets = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
            return size() > MOST_NAMES;
        }
    };

    public Allowance(double perSecond, double atOnce, LongSupplier nanos) {
        this.perSecond = perSecond;
        this.atOnce = atOnce;
        this.nanos = nanos;
    }

    /** Takes one; 0 when it was there, else after how many seconds it will be. */
    public synchronized long take(String name) {
        Bucket bucket = filled(name);
        if (bucket.level >= 1) {
            bucket.level -= 1;
            return 0;
        }
        return seconds(bucket);
    }

    /** As {@link #take}, but only looks. */
    public synchronized long missing(String name) {
        Bucket bucket = filled(name);
        return bucket.level >= 1 ? 0 : seconds(bucket);
    }

    private Bucket filled(String name) {
        long now = nanos.getAsLong();
        Bucket bucket = buckets.computeIfAbsent(name, n -> new Bucket(atOnce, now));
        bucket.level = Math.min(atOnce, bucket.level + Math.max(0, now - bucket.atNanos) / NANOS * perSecond);
        bucket.atNanos = now;
        return bucket;
    }

    private long seconds(Bucket bucket) {
        return Math.max(1, (long) Math.ceil((1 - bucket.level) / perSecond));
    }
}
