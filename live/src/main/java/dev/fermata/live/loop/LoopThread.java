package dev.fermata.live.loop;

import dev.fermata.history.HistoryFormat;
import dev.fermata.live.health.Watchdog;
import dev.fermata.live.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a scheduler loop on a thread of its own, in wall-clock time. It never decides anything. */
final class LoopThread implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LoopThread.class);

    private final SchedulerLoop loop;
    private final MonotonicClock clock;
    private final Thread thread;
    private final Watchdog watchdog;

    LoopThread(SchedulerLoop loop, MonotonicClock clock) {
        this.loop = loop;
        this.clock = clock;
        this.thread = new Thread(this::run, "fermata-scheduler-loop");
        this.thread.setDaemon(true);
        this.watchdog = new Watchdog(loop.health, thread, loop.settings.stuckMillis());
    }

    void start() {
        thread.start();
        watchdog.start();
    }

    /** Waits for the end of a loop that is closing. */
    @Override
    public void close() {
        if (thread.isAlive() && Thread.currentThread() != thread) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        watchdog.close();
    }

    private void run() {
        String problem = "the scheduler loop has stopped";
        try {
            if (loop.lead()) {
                while (!loop.isClosing()) {
                    awaitWork();
                    loop.runCycle(clock.read());
                }
                loop.finish();
            }
            problem = loop.health.problem();
        } catch (InterruptedException e) {
            problem = failure("the scheduler loop was interrupted", e);
        } catch (StoreException | HistoryFormat.NewerFormatException e) { // no defect: the message says it all
            problem = String.valueOf(e.getMessage());
            LOG.error("scheduler loop stopped: {}", problem);
        } catch (RuntimeException | Error e) {
            problem = failure("the scheduler loop failed and has stopped: " + e, e);
        } finally {
            loop.markStopped(problem);
        }
    }

    private static String failure(String why, Throwable cause) {
        LOG.error("scheduler loop stopped: {}", why, cause);
        return why;
    }

    /** Waits for the next step: until it is due, or until something arrives that it would handle. */
    private void awaitWork() throws InterruptedException {
        long due = loop.wakeAtMillis();
        long millis = due == Long.MAX_VALUE ? due : Math.max(0, due - clock.read());
        if (loop.isCommitPending()) {
            loop.health.recordProgress();
            loop.inbox.awaitRequests(millis);
        } else {
            loop.health.recordWait(millis);
            loop.inbox.await(millis);
        }
        loop.health.recordProgress();
    }
}
