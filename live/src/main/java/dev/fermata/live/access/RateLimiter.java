package dev.fermata.live.access;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * A token bucket for each name: a rate per second, and a burst after a pause. It keeps a bounded number of names and drops the
 * least recently used, which can only admit more requests.
 */
public final class RateLimiter {
    private static final int MAX_NAMES = 20_000;
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
    private final double burst;
    private final LongSupplier nanos;
    private final Map<String, Bucket> buckets = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Bucket> eldest) {
            return size() > MAX_NAMES;
        }
    };

    public RateLimiter(double perSecond, double burst, LongSupplier nanos) {
        this.perSecond = perSecond;
        this.burst = burst;
        this.nanos = nanos;
    }

    /** Takes one token: 0 on success, else the seconds until one is available. */
    public synchronized long tryAcquire(String name) {
        Bucket bucket = refill(name);
        if (bucket.level >= 1) {
            bucket.level -= 1;
            return 0;
        }
        return secondsUntilFull(bucket);
    }

    /** As {@link #tryAcquire}, without taking a token. */
    public synchronized long secondsUntilAvailable(String name) {
        Bucket bucket = refill(name);
        return bucket.level >= 1 ? 0 : secondsUntilFull(bucket);
    }

    private Bucket refill(String name) {
        long now = nanos.getAsLong();
        Bucket bucket = buckets.computeIfAbsent(name, n -> new Bucket(burst, now));
        bucket.level = Math.min(burst, bucket.level + Math.max(0, now - bucket.atNanos) / NANOS * perSecond);
        bucket.atNanos = now;
        return bucket;
    }

    private long secondsUntilFull(Bucket bucket) {
        return Math.max(1, (long) Math.ceil((1 - bucket.level) / perSecond));
    }
}
