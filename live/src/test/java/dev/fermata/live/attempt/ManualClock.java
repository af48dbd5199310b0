package dev.fermata.live.attempt;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Time that passes only on request; due tasks then run in order on the calling thread. */
final class ManualClock implements AttemptClock {
    private record Task(long atMillis, long number, Runnable action) {}

    private final List<Task> tasks = new ArrayList<>();
    private long nowMillis = 1_000_000;
    private long number;

    @Override
    public long nowMillis() {
        return nowMillis;
    }

    @Override
    public Runnable schedule(long millis, Runnable task) {
        Task scheduled = new Task(nowMillis + Math.max(0, millis), number++, task);
        tasks.add(scheduled);
        return () -> tasks.remove(scheduled);
    }

    void advance(long millis) {
        long until = nowMillis + millis;
        while (true) {
            Task next = tasks.stream()
                    .filter(task -> task.atMillis <= until)
                    .min(Comparator.comparingLong(Task::atMillis).thenComparingLong(Task::number))
                    .orElse(null);
            if (next == null) {
                nowMillis = until;
                return;
            }
            tasks.remove(next);
            nowMillis = Math.max(nowMillis, next.atMillis);
            next.action.run();
        }
    }

    int pending() {
        return tasks.size();
    }
}
