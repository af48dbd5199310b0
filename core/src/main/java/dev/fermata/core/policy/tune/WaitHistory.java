package dev.fermata.core.policy.tune;

import java.util.ArrayDeque;

/** How long jobs of one demand waited, in leases, with when it was noted; old entries are forgotten. O(1) each. */
final class WaitHistory {
    private record RecordedWait(long atMillis, double leases) {}

    private final ArrayDeque<RecordedWait> entries = new ArrayDeque<>();
    private double sum;
    private double squares;

    void add(long atMillis, double leases) {
        entries.addLast(new RecordedWait(atMillis, leases));
        sum += leases;
        squares += leases * leases;
    }

    /** Forgets what was noted at this time or before; returns whether anything was. */
    boolean removeUntil(long millis) {
        boolean any = false;
        for (RecordedWait oldest = entries.peekFirst();
                oldest != null && oldest.atMillis <= millis;
                oldest = entries.peekFirst()) {
            entries.removeFirst();
            sum -= oldest.leases;
            squares -= oldest.leases * oldest.leases;
            any = true;
        }
        if (entries.isEmpty()) {
            sum = 0; // whatever rounding left behind
            squares = 0;
        }
        return any;
    }

    /** Mean plus two standard deviations (of the population): nearly all jobs got a place within it; 1 without entries. */
    double upperBound() {
        int n = entries.size();
        if (n == 0) {
            return 1;
        }
        double mean = sum / n;
        return mean + 2 * Math.sqrt(Math.max(0, squares / n - mean * mean));
    }
}
