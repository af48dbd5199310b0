package dev.fermata.live.api;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends a stream to one client, as fast as the client takes it. It never blocks a shared thread. */
final class StreamWriter implements WriteListener {
    private static final Logger LOG = LoggerFactory.getLogger(StreamWriter.class);

    private final ServletOutputStream out;
    private final StreamSource source;
    private final Executor pump;
    /** Completed when nothing more will be sent. */
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    /**
     * Signals not handled yet; the thread that raises it from 0 handles them all. The first is the start, which waits until the
     * client is writable: an earlier write would end the stream.
     */
    private final AtomicInteger pendingSignals = new AtomicInteger(1);

    private volatile boolean started;
    private boolean heartbeatDue;
    private boolean unflushed;
    private volatile boolean idle = true;

    StreamWriter(ServletOutputStream out, StreamSource source, Executor pump) {
        this.out = out;
        this.source = source;
        this.pump = pump;
    }

    CompletableFuture<Void> done() {
        return done;
    }

    void start() {
        out.setWriteListener(this);
    }

    /** Signals that there may be more to send. */
    void signal() {
        if (pendingSignals.getAndIncrement() == 0 && !done.isDone()) {
            pump.execute(this::drain);
        }
    }

    /** Sends a heartbeat, unless something was sent since the last one. */
    void sendHeartbeatIfIdle() {
        if (idle) {
            synchronized (this) {
                heartbeatDue = true;
            }
            signal();
        }
        idle = true;
    }

    @Override
    public void onWritePossible() {
        if (started) {
            signal();
        } else {
            started = true;
            pump.execute(this::drain);
        }
    }

    @Override
    public void onError(Throwable error) {
        end();
    }

    void end() {
        done.complete(null);
    }

    /** Ends the stream when authorisation is denied or unknown. */
    void endUnlessAuthorized(BooleanSupplier authorized) {
        try {
            if (done.isDone() || authorized.getAsBoolean()) {
                return;
            }
        } catch (RuntimeException e) {
            LOG.debug("stream ended: its token cannot be checked: {}", e.toString());
        }
        end();
    }

    private void drain() {
        int seen;
        do {
            seen = pendingSignals.get();
            try {
                send();
            } catch (IOException | RuntimeException e) {
                LOG.debug("stream ended: {}", e.toString());
                end();
            }
        } while (!pendingSignals.compareAndSet(seen, 0));
    }

    private synchronized void send() throws IOException {
        while (!done.isDone() && out.isReady()) {
            byte[] next = source.next();
            if (next == null) {
                end();
                return;
            }
            if (next.length == 0 && heartbeatDue) {
                next = source.heartbeat();
            }
            heartbeatDue = false;
            if (next.length > 0) {
                out.write(next);
                idle = false;
                unflushed = true;
            } else if (unflushed) {
                out.flush();
                unflushed = false;
            } else {
                return;
            }
        }
    }
}
