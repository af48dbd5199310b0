package dev.fermata.live.learn;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The latest values of something, in the order in which they came and in their own order. One more is put in place, and the oldest goes
 * when there are enough: to add costs two short moves within an array, and a quantile is there when somebody asks.
 */
final class Latest {
    private static final int AT_FIRST = 4;

    private final int kept;
    private long[] came = new long[AT_FIRST];
    private long[] sorted = new long[AT_FIRST];
    private int count;
    /** Where the oldest is once there are enough, and where the next one goes. */
    private int next;

    /** @param kept at most so many */
    Latest(int kept) {
        this.kept = kept;
    }

    void add(long value) {
        if (count == kept && came[next] == value) {
            next = (next + 1) % kept; // what goes is what comes
            return;
        }
        if (count == kept) {
            removeSorted(came[next]);
        } else if (count == came.length) {
            came = Arrays.copyOf(came, Math.min(kept, 2 * count));
            sorted = Arrays.copyOf(sorted, came.length);
        }
        came[next] = value;
        next = (next + 1) % kept;
        insertSorted(value);
    }

    /** The latest that is this much is that much now; false when there is none. */
    boolean replace(long value, long by) {
        for (int i = 1; i <= count; i++) {
            int at = Math.floorMod(next - i, count == kept ? kept : Math.max(1, count));
            if (came[at] == value) {
                removeSorted(value);
                came[at] = by;
                insertSorted(by);
                return true;
            }
        }
        return false;
    }

    private void removeSorted(long value) {
        int at = Arrays.binarySearch(sorted, 0, count, value);
        count--;
        System.arraycopy(sorted, at + 1, sorted, at, count - at);
    }

    private void insertSorted(long value) {
        int found = Arrays.binarySearch(sorted, 0, count, value);
        int at = found < 0 ? -found - 1 : found;
        System.arraycopy(sorted, at, sorted, at + 1, count - at);
        sorted[at] = value;
        count++;
    }

    int count() {
        return count;
    }

    /** The smallest value that this share of all does not exceed. There must be one. */
    long quantile(double share) {
        return Spread.quantile(sorted, count, share);
    }

    long most() {
        return sorted[count - 1];
    }

    Spread spread() {
        return Spread.ofSorted(sorted, count);
    }

    /** Oldest first. */
    List<Long> values() {
        List<Long> values = new ArrayList<>(count);
        int oldest = count == kept ? next : 0;
        for (int i = 0; i < count; i++) {
            values.add(came[(oldest + i) % kept]);
        }
        return values;
    }
}
