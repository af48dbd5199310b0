package dev.fermata.live.api;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
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

/** All open streams. It limits their number, signals them, keeps them alive, and ends them together. */
final class OpenStreams implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OpenStreams.class);
    private static final Duration TOKEN_CHECK_PERIOD = Duration.ofMillis(500);

    /** The streams and their users. */
    private final Map<StreamWriter, String> open = new ConcurrentHashMap<>();

    private final int max;
    private final int maxPerUser;
    private final Duration heartbeat;
    private final Executor pump;
    private final ScheduledExecutorService timer;

    OpenStreams(int max, int maxPerUser, Duration heartbeat, Executor pump, ScheduledExecutorService timer) {
        this.max = max;
        this.maxPerUser = maxPerUser;
        this.heartbeat = heartbeat;
        this.pump = pump;
        this.timer = timer;
    }

    int count() {
        return open.size();
    }

    /** Throws when too many streams are open; called before anything is opened for a stream. */
    void requireCapacity(String user) {
        if (open.size() >= max) {
            throw ApiProblemException.tooManyRequests("all " + max + " streams are in use", 5);
        }
        if (open.values().stream().filter(user::equals).count() >= maxPerUser) {
            throw ApiProblemException.tooManyRequests(
                    "all " + maxPerUser + " streams of " + ApiCall.sanitize(user) + " are in use", 5);
        }
    }

    /**
     * Sends the stream; the result completes at its end. The request must be in asynchronous mode.
     *
     * @param authorized whether the caller is still authorised: a revoked or expired token ends its streams
     */
    CompletableFuture<Void> send(
            HttpServletResponse response,
            StreamSource source,
            @Nullable Duration polling,
            String user,
            BooleanSupplier authorized)
            throws IOException {
        StreamWriter writer = new StreamWriter(response.getOutputStream(), source, pump);
        open.put(writer, user);
        ScheduledFuture<?> beats = every(heartbeat, writer::sendHeartbeatIfIdle);
        ScheduledFuture<?> looks =
                every(TOKEN_CHECK_PERIOD, () -> pump.execute(() -> writer.endUnlessAuthorized(authorized)));
        ScheduledFuture<?> polls = polling == null ? null : every(polling, writer::signal);
        CompletableFuture<Void> over = writer.done().handle((nothing, error) -> {
            open.remove(writer);
            beats.cancel(false);
            looks.cancel(false);
            if (polls != null) {
                polls.cancel(false);
            }
            try {
                source.close();
            } catch (IOException e) {
                LOG.debug("stream source: close failed: {}", e.toString());
            }
            return null;
        });
        writer.start();
        return over;
    }

    /** Signals every stream that new data may be there. */
    void signalAll() {
        open.keySet().forEach(StreamWriter::signal);
    }

    @Override
    public void close() {
        open.keySet().forEach(StreamWriter::end);
    }

    private ScheduledFuture<?> every(Duration period, Runnable action) {
        return timer.scheduleWithFixedDelay(action, period.toMillis(), period.toMillis(), TimeUnit.MILLISECONDS);
    }
}
