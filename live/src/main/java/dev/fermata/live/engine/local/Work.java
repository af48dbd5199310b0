package dev.fermata.live.engine.local;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The engine's threads: as many as have something to do, none when nothing runs. After the end, work is let go in silence. */
final class Work implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Work.class);

    /** What went wrong on the way to an end that must be told is tried again after this time. */
    private static final long AGAIN_MILLIS = 2_000;

    private final ExecutorService workers = Executors.newCachedThreadPool(named("engine"));
    private final ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(1, named("engine-timer"));

    Work() {
        timers.setKeepAliveTime(10, TimeUnit.SECONDS);
        timers.allowCoreThreadTimeOut(true);
        timers.setRemoveOnCancelPolicy(true); // what is called off keeps nothing in memory
    }

    /** Something to do; what it throws is logged, and an interruption is the engine's end. */
    interface Task {
        void run() throws Exception;
    }

    void now(Task task) {
        try {
            workers.execute(() -> {
                try {
                    task.run();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } catch (Exception e) {
                    LOG.error("the local engine stumbled", e);
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("closed: nothing is begun any more");
        }
    }

    void after(long millis, Task task) {
        Runnable unused = timer(millis, task);
    }

    /**
     * Does what leads to the end of an attempt, again and again until nothing goes wrong: an end that is never told would hold its
     * GPUs for ever, and nobody could cancel it.
     */
    void untilDone(String job, Task step) throws InterruptedException {
        try {
            step.run();
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            LOG.warn("job {}: something went wrong and is tried again: {}", job, e.toString());
            after(AGAIN_MILLIS, () -> untilDone(job, step));
        }
    }

    /** Something to do later; what is returned calls it off. */
    Runnable timer(long millis, Task task) {
        try {
            Future<?> timer = timers.schedule(() -> now(task), Math.max(0, millis), TimeUnit.MILLISECONDS);
            return () -> timer.cancel(false);
        } catch (RejectedExecutionException e) {
            LOG.debug("closed: nothing is begun any more");
            return () -> {};
        }
    }

    int timers() {
        return timers.getQueue().size();
    }

    @Override
    public void close() {
        timers.shutdownNow();
        workers.shutdownNow();
    }

    private static ThreadFactory named(String name) {
        AtomicInteger next = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + next.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
