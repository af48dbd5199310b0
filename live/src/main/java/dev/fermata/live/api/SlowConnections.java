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
 * Closes connections on which a request begins to arrive and does not finish doing so. Jetty's own idle time is not enough: a
 * client that sends a byte now and then is never idle. Looks only while there are connections.
 */
final class SlowConnections implements Connection.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(SlowConnections.class);
    private static final long LOOK_MILLIS = 1000;

    private static final class Watched {
        private long answered;
        private long bytes;
        private long sinceNanos = -1;
    }

    private final Map<Connection, Watched> watched = new ConcurrentHashMap<>();
    private final AtomicBoolean looking = new AtomicBoolean();
    private final long patienceNanos;
    private final ScheduledExecutorService timer;

    SlowConnections(long patienceMillis, ScheduledExecutorService timer) {
        this.patienceNanos = TimeUnit.MILLISECONDS.toNanos(patienceMillis);
        this.timer = timer;
    }

    @Override
    public void onOpened(Connection connection) {
        watched.put(connection, new Watched());
        if (looking.compareAndSet(false, true)) {
            lookLater();
        }
    }

    @Override
    public void onClosed(Connection connection) {
        watched.remove(connection);
    }

    private void lookLater() {
        if (!timer.isShutdown()) {
            var unused = timer.schedule(this::lookAtAll, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void lookAtAll() {
        long now = System.nanoTime();
        watched.forEach((connection, state) -> look(connection, state, now));
        looking.set(false);
        if (!watched.isEmpty() && looking.compareAndSet(false, true)) {
            lookLater();
        }
    }

    private void look(Connection connection, Watched state, long now) {
        long answered = connection.getMessagesOut();
        long bytes = connection.getBytesIn();
        boolean busy = connection.getMessagesIn() > answered;
        if (busy || answered != state.answered || bytes == state.bytes) {
            // A request is being answered, or was since the last look, or nothing has come: the body has its own
            // deadline.
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
        if (state.sinceNanos >= 0 && now - state.sinceNanos > patienceNanos) {
            LOG.info(
                    "closing a connection from {} whose request does not arrive",
                    connection.getEndPoint().getRemoteSocketAddress());
            watched.remove(connection);
            connection.getEndPoint().close();
        }
    }
}
