package dev.fermata.live.api;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All open streams: bounded in number, woken when there is news, kept alive, and ended together. */
final class Streams implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Streams.class);
    private static final Duration STANDING_LOOK = Duration.ofMillis(500);

    private final Set<Outflow> open = ConcurrentHashMap.newKeySet();
    private final int most;
    private final Duration heartbeat;
    private final Executor pump;
    private final ScheduledExecutorService timer;

    Streams(int most, Duration heartbeat, Executor pump, ScheduledExecutorService timer) {
        this.most = most;
        this.heartbeat = heartbeat;
        this.pump = pump;
        this.timer = timer;
    }

    int count() {
        return open.size();
    }

    /** Refuses when there are too many already; asked before anything is opened for a stream. */
    void expectRoom() {
        if (open.size() >= most) {
            throw Refused.tooMany("all " + most + " streams are taken", 5);
        }
    }

    /**
     * Sends the feed; the answer comes when it is over. The request must be in asynchronous mode.
     *
     * @param welcome whether whoever listens still may: a token that is revoked or expires takes its streams with it
     */
    CompletableFuture<Void> send(
            HttpServletResponse response, Feed feed, @Nullable Duration polling, BooleanSupplier welcome)
            throws IOException {
        Outflow flow = new Outflow(response.getOutputStream(), feed, pump);
        open.add(flow);
        ScheduledFuture<?> beats = every(heartbeat, flow::beat);
        ScheduledFuture<?> looks = every(STANDING_LOOK, () -> pump.execute(() -> flow.endUnless(welcome)));
        ScheduledFuture<?> polls = polling == null ? null : every(polling, flow::wake);
        CompletableFuture<Void> over = flow.done().handle((nothing, error) -> {
            open.remove(flow);
            beats.cancel(false);
            looks.cancel(false);
            if (polls != null) {
                polls.cancel(false);
            }
            try {
                feed.close();
            } catch (IOException e) {
                LOG.debug("a feed did not close: {}", e.toString());
            }
            return null;
        });
        flow.begin();
        return over;
    }

    /** Something happened that any of them may want to tell. */
    void wake() {
        open.forEach(Outflow::wake);
    }

    @Override
    public void close() {
        open.forEach(Outflow::end);
    }

    private ScheduledFuture<?> every(Duration period, Runnable action) {
        return timer.scheduleWithFixedDelay(action, period.toMillis(), period.toMillis(), TimeUnit.MILLISECONDS);
    }
}
