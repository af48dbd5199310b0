package dev.fermata.live.api;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.io.Connection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes connections whose request arrives too slowly. Jetty's idle timeout is not enough: a client that sends a byte from time
 * to time is never idle. It polls only while there are connections.
 */
final class SlowConnections implements Connection.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(SlowConnections.class);
    private static final long CHECK_MILLIS = 1000;

    private static final class ConnectionState {
        private long answered;
        private long bytes;
        private long sinceNanos = -1;
    }

    private final Map<Connection, ConnectionState> watched = new ConcurrentHashMap<>();
    private final AtomicBoolean checkScheduled = new AtomicBoolean();
    private final long timeoutNanos;
    private final ScheduledExecutorService timer;

    SlowConnections(long timeoutMillis, ScheduledExecutorService timer) {
        this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        this.timer = timer;
    }

    @Override
    public void onOpened(Connection connection) {
        watched.put(connection, new ConnectionState());
        if (checkScheduled.compareAndSet(false, true)) {
            scheduleCheck();
        }
    }

    @Override
    public void onClosed(Connection connection) {
        watched.remove(connection);
    }

    private void scheduleCheck() {
        if (!timer.isShutdown()) {
            var unused = timer.schedule(this::checkAll, CHECK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void checkAll() {
        long now = System.nanoTime();
        watched.forEach((connection, state) -> check(connection, state, now));
        checkScheduled.set(false);
        if (!watched.isEmpty() && checkScheduled.compareAndSet(false, true)) {
            scheduleCheck();
        }
    }

    private void check(Connection connection, ConnectionState state, long now) {
        long answered = connection.getMessagesOut();
        long bytes = connection.getBytesIn();
        boolean busy = connection.getMessagesIn() > answered;
        if (busy || answered != state.answered || bytes == state.bytes) {
            // Not slow: a request is being answered, was answered since the last poll, or has not begun. The body has
            // its own deadline.
            boolean waits = !busy && answered == state.answered && state.sinceNanos >= 0;
            state.answered = answered;
            state.bytes = bytes;
            if (!waits) {
                state.sinceNanos = -1;
                return;
            }
        } else if (state.sinceNanos < 0) {
            state.sinceNanos = now;
        }
        state.bytes = bytes;
        if (state.sinceNanos >= 0 && now - state.sinceNanos > timeoutNanos) {
            LOG.info(
                    "connection from {}: closed, its request did not arrive in time",
                    connection.getEndPoint().getRemoteSocketAddress());
            watched.remove(connection);
            connection.getEndPoint().close();
        }
    }
}
