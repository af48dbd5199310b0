package dev.fermata.sim.engine;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Items due at virtual times: a binary heap ordered by time, then by insertion, so that the order at equal times is
 * fixed. The owner of the timers recognises stale ones and removes them when there are many.
 *
 * <p>Where preemption and loading take no time, most timers are due at the instant at which they are set. These are in
 * a queue of their own: everything else due at that instant was set earlier, so it is in the heap and comes first.
 */
public final class TimerQueue<T> {
    private long[] times = new long[64];
    private long[] serials = new long[64];
    private @Nullable Object[] items = new @Nullable Object[64];
    private int size;
    private long nextSerial;
    private long nowMillis = Long.MIN_VALUE;
    private final ArrayDeque<T> dueNow = new ArrayDeque<>();

    /** Advances time: everything due earlier was taken out, and nothing earlier will be set. */
    public void advanceTo(long timeMillis) {
        if (timeMillis > nowMillis && nextTime() > timeMillis) {
            nowMillis = timeMillis;
        }
    }

    public void add(long timeMillis, T item) {
        if (timeMillis == nowMillis) {
            dueNow.addLast(item);
            return;
        }
        if (size == times.length) {
            times = Arrays.copyOf(times, size * 2);
            serials = Arrays.copyOf(serials, size * 2);
            items = Arrays.copyOf(items, size * 2);
        }
        long serial = nextSerial++;
        int at = size++;
        while (at > 0) {
            int parent = (at - 1) >>> 1;
            if (times[parent] <= timeMillis) { // an equal time was set earlier
                break;
            }
            move(parent, at);
            at = parent;
        }
        put(at, timeMillis, serial, item);
    }

    public boolean isEmpty() {
        return size == 0 && dueNow.isEmpty();
    }

    /** Time of the next item; {@link Long#MAX_VALUE} when there is none. */
    public long nextTime() {
        long inHeap = size == 0 ? Long.MAX_VALUE : times[0];
        return dueNow.isEmpty() ? inHeap : Math.min(inHeap, nowMillis);
    }

    /** The next item, which stays in the queue. */
    @SuppressWarnings("unchecked")
    public T peek() {
        Object first = isDueNowNext() ? dueNow.peekFirst() : items[0];
        if (first == null) {
            throw new IllegalStateException("the queue is empty");
        }
        return (T) first;
    }

    public T poll() {
        if (isDueNowNext()) {
            return dueNow.removeFirst();
        }
        T first = peek();
        size--;
        long time = times[size];
        long serial = serials[size];
        Object item = items[size];
        items[size] = null;
        if (size > 0) {
            sink(0, time, serial, item);
        }
        return first;
    }

    private boolean isDueNowNext() {
        return !dueNow.isEmpty() && (size == 0 || times[0] > nowMillis);
    }

    /** Moves an item down from a hole to its place. */
    private void sink(int hole, long time, long serial, @Nullable Object item) {
        int at = hole;
        for (int child = 2 * at + 1; child < size; child = 2 * at + 1) {
            if (child + 1 < size && before(child + 1, child)) {
                child++;
            }
            if (times[child] > time || (times[child] == time && serials[child] > serial)) {
                break;
            }
            move(child, at);
            at = child;
        }
        put(at, time, serial, item);
    }

    public int size() {
        return size + dueNow.size();
    }

    /** Removes stale items; the order of the others stays. */
    @SuppressWarnings("unchecked")
    public void removeIf(Predicate<? super T> unwanted) {
        dueNow.removeIf(unwanted);
        int kept = 0;
        for (int i = 0; i < size; i++) {
            Object item = items[i];
            if (item != null && !unwanted.test((T) item)) {
                put(kept++, times[i], serials[i], item);
            }
        }
        Arrays.fill(items, kept, size, null);
        size = kept;
        for (int i = size / 2 - 1; i >= 0; i--) {
            sink(i, times[i], serials[i], items[i]);
        }
    }

    private boolean before(int a, int b) {
        return times[a] < times[b] || (times[a] == times[b] && serials[a] < serials[b]);
    }

    private void move(int from, int to) {
        times[to] = times[from];
        serials[to] = serials[from];
        items[to] = items[from];
    }

    private void put(int at, long time, long serial, @Nullable Object item) {
        times[at] = time;
        serials[at] = serial;
        items[at] = item;
    }
}
