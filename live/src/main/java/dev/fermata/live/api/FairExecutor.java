package dev.fermata.live.api;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs tasks of many callers on a few threads, taking one task of each caller in turn. A caller who sends much waits for
 * itself; others wait for one of its tasks at most per thread.
 */
final class FairExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(FairExecutor.class);

    private final Executor threads;
    private final int maxRunning;
    private final int maxWaiting;
    private final Map<String, Deque<Runnable>> waiting = new LinkedHashMap<>();
    private int running;
    private int count;

    /**
     * @param maxRunning tasks that run at a time
     * @param maxWaiting tasks that may wait; more are refused
     */
    FairExecutor(Executor threads, int maxRunning, int maxWaiting) {
        this.threads = threads;
        this.maxRunning = maxRunning;
        this.maxWaiting = maxWaiting;
    }

    /** An executor for the tasks of this caller. It throws {@link RejectedExecutionException} when too many tasks wait. */
    Executor of(String caller) {
        return task -> execute(caller, task);
    }

    private void execute(String caller, Runnable task) {
        synchronized (this) {
            if (count >= maxWaiting) {
                throw new RejectedExecutionException(count + " requests are waiting");
            }
            count++;
            waiting.computeIfAbsent(caller, name -> new ArrayDeque<>()).add(task);
            if (running >= maxRunning) {
                return;
            }
            running++;
        }
        threads.execute(this::work);
    }

    private void work() {
        for (Runnable task = next(); task != null; task = next()) {
            try {
                task.run();
            } catch (RuntimeException e) {
                LOG.warn("request failed", e); // the thread goes on: others wait for it
            }
        }
    }

    /** The next task, or null when none waits; then the calling thread must leave. */
    private synchronized @org.jspecify.annotations.Nullable Runnable next() {
        Iterator<Map.Entry<String, Deque<Runnable>>> callers =
                waiting.entrySet().iterator();
        if (!callers.hasNext()) {
            running--;
            return null;
        }
        Map.Entry<String, Deque<Runnable>> first = callers.next();
        String caller = first.getKey();
        Deque<Runnable> tasks = first.getValue();
        callers.remove();
        Runnable task = tasks.remove();
        if (!tasks.isEmpty()) {
            waiting.put(caller, tasks); // behind all others
        }
        count--;
        return task;
    }
}
