package dev.fermata.live.conductor;

import dev.fermata.live.conductor.Pulse.Phase;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks at the conductor now and then, and says so aloud when it does not get on. It changes nothing. */
final class Watchdog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Watchdog.class);
    private static final int FRAMES = 12;

    private final Vitals vitals;
    private final Thread watched;
    private final long stuckMillis;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread = new Thread(this::watch, "fermata-watchdog");

    Watchdog(Vitals vitals, Thread watched, long stuckMillis) {
        this.vitals = vitals;
        this.watched = watched;
        this.stuckMillis = stuckMillis;
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    private void watch() {
        boolean told = false;
        try {
            while (!closed.await(stuckMillis / 2, TimeUnit.MILLISECONDS)) {
                Pulse pulse = vitals.pulse();
                boolean stuck = pulse.phase() == Phase.LEADING && pulse.cycleAgeMillis() > stuckMillis;
                if (stuck) {
                    LOG.error(
                            "the conductor has been at one cycle for {} ms, {} requests and news wait; it is at {}",
                            pulse.cycleAgeMillis(),
                            pulse.inbox(),
                            where());
                } else if (told) {
                    LOG.info("the conductor gets on again");
                }
                told = stuck;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String where() {
        return Arrays.stream(watched.getStackTrace())
                .limit(FRAMES)
                .map(StackTraceElement::toString)
                .collect(Collectors.joining(" < "));
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
