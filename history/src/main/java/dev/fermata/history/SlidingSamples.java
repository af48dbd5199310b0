package dev.fermata.history;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A window of the latest samples, in order of arrival and sorted. A new sample replaces the oldest one once the window is
 * full. Adding moves part of an array; a quantile is a lookup.
 */
public final class SlidingSamples {
    private static final int INITIAL_CAPACITY = 4;

    private final int capacity;
    private long[] arrivals = new long[INITIAL_CAPACITY];
    private long[] sorted = new long[INITIAL_CAPACITY];
    private int count;
    /** Index of the next sample, and of the oldest one once the window is full. */
    private int next;

    /** @param capacity size of the window */
    public SlidingSamples(int capacity) {
        this.capacity = capacity;
    }

    public void add(long value) {
        if (count == capacity) {
            replaceSorted(arrivals[next], value);
        } else {
            append(value);
        }
        arrivals[next] = value;
        next = (next + 1) % capacity;
    }

    /** Replaces the latest sample with this value; false when there is none. */
    public boolean replace(long value, long by) {
        for (int i = 1; i <= count; i++) {
            int at = Math.floorMod(next - i, count == capacity ? capacity : Math.max(1, count));
            if (arrivals[at] == value) {
                replaceSorted(value, by);
                arrivals[at] = by;
                return true;
            }
        }
        return false;
    }

    /** Replaces one sorted value; only the values between the two move. */
    private void replaceSorted(long removed, long added) {
        if (removed == added) {
            return;
        }
        int from = Arrays.binarySearch(sorted, 0, count, removed);
        int to = insertionIndex(added);
        if (to > from) {
            to--; // the removed value is before it
            System.arraycopy(sorted, from + 1, sorted, from, to - from);
        } else {
            System.arraycopy(sorted, to, sorted, to + 1, from - to);
        }
        sorted[to] = added;
    }

    private void append(long value) {
        if (count == arrivals.length) {
            arrivals = Arrays.copyOf(arrivals, Math.min(capacity, 2 * count));
            sorted = Arrays.copyOf(sorted, arrivals.length);
        }
        int at = insertionIndex(value);
        System.arraycopy(sorted, at, sorted, at + 1, count - at);
        sorted[at] = value;
        count++;
    }

    /** The position of a value among the sorted ones. */
    private int insertionIndex(long value) {
        int found = Arrays.binarySearch(sorted, 0, count, value);
        return found < 0 ? -found - 1 : found;
    }

    public int count() {
        return count;
    }

    /** The smallest sample that this share of all samples does not exceed. The window is not empty. */
    public long quantile(double share) {
        return SampleSummary.quantile(sorted, count, share);
    }

    public long max() {
        return sorted[count - 1];
    }

    public SampleSummary summary() {
        return SampleSummary.ofSorted(sorted, count);
    }

    /** Oldest first. */
    public List<Long> values() {
        List<Long> values = new ArrayList<>(count);
        int oldest = count == capacity ? next : 0;
        for (int i = 0; i < count; i++) {
            values.add(arrivals[(oldest + i) % capacity]);
        }
        return values;
    }
}
