package dev.fermata.core.model;

/** Bandwidth and latency of one network tier. */
public record Link(double gigabytesPerSecond, double latencyMicros) {
    public Link {
        Require.that(gigabytesPerSecond > 0, "bandwidth (%s GB/s) must be positive", gigabytesPerSecond);
        Require.that(latencyMicros >= 0, "latency (%s us) must not be negative", latencyMicros);
    }

    /** Milliseconds that a ring of {@code members} needs to all-reduce {@code mib} MiB over this link. */
    public double ringMillis(int members, double mib) {
        if (members <= 1) {
            return 0;
        }
        double bytes = mib * 1048576.0;
        double transfer = 2.0 * (members - 1) / members * bytes / (gigabytesPerSecond * 1e6);
        return transfer + 2.0 * (members - 1) * latencyMicros / 1000.0;
    }
}
