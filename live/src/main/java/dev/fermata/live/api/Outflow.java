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

/** Sends a feed to one client, as fast as that client takes it and never on a thread that others need. */
final class Outflow implements WriteListener {
    private static final Logger LOG = LoggerFactory.getLogger(Outflow.class);

    private final ServletOutputStream out;
    private final Feed feed;
    private final Executor pump;
    /** Completed when nothing more will be sent. */
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    /**
     * Reasons to look again that were not looked at yet: whoever raises it from 0 does the work. The first is that it begins, for which
     * the client must be ready: whatever is written before that takes another way, and ends the stream.
     */
    private final AtomicInteger reasons = new AtomicInteger(1);

    private volatile boolean begun;
    private boolean beatDue;
    private boolean unflushed;
    private volatile boolean quiet = true;

    Outflow(ServletOutputStream out, Feed feed, Executor pump) {
        this.out = out;
        this.feed = feed;
        this.pump = pump;
    }

    CompletableFuture<Void> done() {
        return done;
    }

    void begin() {
        out.setWriteListener(this);
    }

    /** There may be more to send. */
    void wake() {
        if (reasons.getAndIncrement() == 0 && !done.isDone()) {
            pump.execute(this::work);
        }
    }

    /** Says that the stream is alive, unless something was sent since the last time. */
    void beat() {
        if (quiet) {
            synchronized (this) {
                beatDue = true;
            }
            wake();
        }
        quiet = true;
    }

    @Override
    public void onWritePossible() {
        if (begun) {
            wake();
        } else {
            begun = true;
            pump.execute(this::work);
        }
    }

    @Override
    public void onError(Throwable error) {
        end();
    }

    void end() {
        done.complete(null);
    }

    /** Ends it when the answer is no, or when there is none. */
    void endUnless(BooleanSupplier welcome) {
        try {
            if (done.isDone() || welcome.getAsBoolean()) {
                return;
            }
        } catch (RuntimeException e) {
            LOG.debug("nobody knows whether a stream may go on: {}", e.toString());
        }
        end();
    }

    private void work() {
        int seen;
        do {
            seen = reasons.get();
            try {
                send();
            } catch (IOException | RuntimeException e) {
                LOG.debug("a stream ended: {}", e.toString());
                end();
            }
        } while (!reasons.compareAndSet(seen, 0));
    }

    private synchronized void send() throws IOException {
        while (!done.isDone() && out.isReady()) {
            byte[] next = feed.next();
            if (next == null) {
                end();
                return;
            }
            if (next.length == 0 && beatDue) {
                next = feed.heartbeat();
            }
            beatDue = false;
            if (next.length > 0) {
                out.write(next);
                quiet = false;
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
