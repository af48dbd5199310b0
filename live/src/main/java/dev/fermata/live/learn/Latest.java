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
        if (count == kept) {
            exchange(came[next], value);
        } else {
            append(value);
        }
        came[next] = value;
        next = (next + 1) % kept;
    }

    /** The latest that is this much is that much now; false when there is none. */
    boolean replace(long value, long by) {
        for (int i = 1; i <= count; i++) {
            int at = Math.floorMod(next - i, count == kept ? kept : Math.max(1, count));
            if (came[at] == value) {
                exchange(value, by);
                came[at] = by;
                return true;
            }
        }
        return false;
    }

    /** One of the sorted goes and one comes: only those between them move. */
    private void exchange(long gone, long comes) {
        if (gone == comes) {
            return;
        }
        int from = Arrays.binarySearch(sorted, 0, count, gone);
        int to = place(comes);
        if (to > from) {
            to--; // the gap closes before it
            System.arraycopy(sorted, from + 1, sorted, from, to - from);
        } else {
            System.arraycopy(sorted, to, sorted, to + 1, from - to);
        }
        sorted[to] = comes;
    }

    private void append(long value) {
        if (count == came.length) {
            came = Arrays.copyOf(came, Math.min(kept, 2 * count));
            sorted = Arrays.copyOf(sorted, came.length);
        }
        int at = place(value);
        System.arraycopy(sorted, at, sorted, at + 1, count - at);
        sorted[at] = value;
        count++;
    }

    /** Where a value belongs among the sorted. */
    private int place(long value) {
        int found = Arrays.binarySearch(sorted, 0, count, value);
        return found < 0 ? -found - 1 : found;
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
