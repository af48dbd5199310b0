package dev.fermata.live.health;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs an error when the scheduler loop makes no progress. It never changes anything. */
public final class Watchdog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Watchdog.class);
    private static final int MAX_FRAMES = 12;

    private final HealthRecorder health;
    private final Thread watched;
    private final long stuckMillis;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = new Thread(this::watch, "fermata-watchdog");

    public Watchdog(HealthRecorder health, Thread watched, long stuckMillis) {
        this.health = health;
        this.watched = watched;
        this.stuckMillis = stuckMillis;
        thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    private void watch() {
        boolean reported = false;
        try {
            while (!closed.await(stuckMillis / 2, TimeUnit.MILLISECONDS)) {
                HealthStatus status = health.status();
                boolean stuck = status.phase().leads() && status.cycleAgeMillis() > stuckMillis;
                if (stuck) {
                    LOG.error(
                            "scheduler loop stuck: one cycle has taken {} ms; queued requests and engine events: {}; it is at {}",
                            status.cycleAgeMillis(),
                            status.queuedRequests(),
                            stackOfWatched());
                } else if (reported) {
                    LOG.info("scheduler loop makes progress again");
                }
                reported = stuck;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String stackOfWatched() {
        return Arrays.stream(watched.getStackTrace())
                .limit(MAX_FRAMES)
                .map(StackTraceElement::toString)
                .collect(Collectors.joining(" < "));
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
