package dev.fermata.bench.torture;

import java.util.PriorityQueue;

/** The one source of time of a simulated world: tasks run in the order of their times, those of one time as planned. */
final class VirtualTime {
    private record Task(long atMillis, long number, Runnable what) implements Comparable<Task> {
        @Override
        public int compareTo(Task other) {
            int byTime = Long.compare(atMillis, other.atMillis);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    private final PriorityQueue<Task> planned = new PriorityQueue<>();
    private long nowMillis;
    private long tasks;

    long nowMillis() {
        return nowMillis;
    }

    void after(long millis, Runnable what) {
        planned.add(new Task(nowMillis + Math.max(0, millis), tasks++, what));
    }

    /** Runs the next task; false when nothing is planned. */
    boolean runNext() {
        Task next = planned.poll();
        if (next == null) {
            return false;
        }
        nowMillis = Math.max(nowMillis, next.atMillis);
        next.what.run();
        return true;
    }

    /** Lets time pass, with everything that happens in it, while the caller waits. */
    void pass(long millis) {
        long until = nowMillis + millis;
        for (Task next = planned.peek(); next != null && next.atMillis <= until; next = planned.peek()) {
            runNext();
        }
        nowMillis = Math.max(nowMillis, until);
    }
}
