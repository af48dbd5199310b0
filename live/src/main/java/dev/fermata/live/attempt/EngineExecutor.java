package dev.fermata.live.attempt;

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

/** An engine's threads: as many as have work, none when nothing runs. After {@code close} it drops work silently. */
public final class EngineExecutor implements AttemptClock, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EngineExecutor.class);

    /** Backoff: failed work that must end an attempt is retried after this time. */
    private static final long BACKOFF_MILLIS = 2_000;

    /** How long closing waits for work that it has interrupted. */
    private static final long CLOSE_MILLIS = 5_000;

    private final SteadyClock clock = new SteadyClock();
    private final ExecutorService workers = Executors.newCachedThreadPool(threadFactory("engine"));
    private final ScheduledThreadPoolExecutor timers =
            new ScheduledThreadPoolExecutor(1, threadFactory("engine-timer"));

    public EngineExecutor() {
        timers.setKeepAliveTime(10, TimeUnit.SECONDS);
        timers.allowCoreThreadTimeOut(true);
        timers.setRemoveOnCancelPolicy(true); // cancelled work keeps nothing in memory
    }

    /** Runs work; exceptions are logged, and an interrupt means the engine is closed. */
    public interface EngineTask {
        void run() throws Exception;
    }

    public void submit(EngineTask task) {
        try {
            workers.execute(() -> {
                try {
                    task.run();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } catch (Exception e) {
                    LOG.error("engine: unexpected failure", e);
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("engine: closed, work dropped");
        }
    }

    public void runLater(long millis, EngineTask task) {
        Runnable unused = scheduleCancellable(millis, task);
    }

    /**
     * Runs work that ends an attempt, and retries it until it succeeds: an end that is never reported would hold its GPUs for
     * ever.
     */
    public void retryUntilDone(String job, EngineTask step) throws InterruptedException {
        try {
            step.run();
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            LOG.warn("attempt {}: end of the attempt failed: {}; retry", job, e.toString());
            runLater(BACKOFF_MILLIS, () -> retryUntilDone(job, step));
        }
    }

    /** Runs work later; the returned action cancels it. */
    public Runnable scheduleCancellable(long millis, EngineTask task) {
        try {
            Future<?> timer = timers.schedule(() -> submit(task), Math.max(0, millis), TimeUnit.MILLISECONDS);
            return () -> timer.cancel(false);
        } catch (RejectedExecutionException e) {
            LOG.debug("engine: closed, work dropped");
            return () -> {};
        }
    }

    @Override
    public long nowMillis() {
        return clock.millis();
    }

    @Override
    public Runnable schedule(long millis, Runnable task) {
        return scheduleCancellable(millis, task::run);
    }

    public int pendingTimers() {
        return timers.getQueue().size();
    }

    @Override
    public void close() {
        timers.shutdownNow();
        workers.shutdownNow();
        try {
            // What is half done may still write to the data folder, which another engine may open now.
            if (!workers.awaitTermination(CLOSE_MILLIS, TimeUnit.MILLISECONDS)) {
                LOG.warn("engine: closed while work was under way");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static ThreadFactory threadFactory(String name) {
        AtomicInteger next = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, name + "-" + next.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
