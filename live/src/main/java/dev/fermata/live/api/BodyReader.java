package dev.fermata.live.api;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;

/** Reads the body of a request asynchronously, within a size and a time limit. It blocks no thread. */
final class BodyReader implements ReadListener {
    private final ServletInputStream in;
    private final int max;
    private final LongPredicate reserve;
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private final byte[] buffer = new byte[8192];

    private BodyReader(ServletInputStream in, int max, LongPredicate reserve) {
        this.in = in;
        this.max = max;
        this.reserve = reserve;
    }

    /**
     * Reads the body; the request must be in asynchronous mode.
     *
     * @param reserve whether there is room in memory for so many more bytes
     */
    static CompletableFuture<byte[]> read(
            HttpServletRequest request,
            int max,
            LongPredicate reserve,
            long withinMillis,
            ScheduledExecutorService timer)
            throws IOException {
        BodyReader reader = new BodyReader(request.getInputStream(), max, reserve);
        if (request.getContentLengthLong() > max) {
            return CompletableFuture.failedFuture(reader.tooLarge());
        }
        ScheduledFuture<?> deadline = timer.schedule(
                () -> reader.body.completeExceptionally(ApiProblemException.requestTimeout(
                        "the body did not arrive within " + withinMillis / 1000 + " s")),
                withinMillis,
                TimeUnit.MILLISECONDS);
        reader.in.setReadListener(reader);
        return reader.body.whenComplete((bytes, error) -> deadline.cancel(false));
    }

    @Override
    public void onDataAvailable() throws IOException {
        while (!body.isDone() && in.isReady() && !in.isFinished()) {
            int n = in.read(buffer);
            if (n < 0) {
                break;
            }
            if (received.size() + n > max) {
                body.completeExceptionally(tooLarge());
                return;
            }
            if (!reserve.test(n)) {
                body.completeExceptionally(ApiProblemException.tooManyRequests(
                        "too many bytes of requests are in memory; try again in a moment", 1));
                return;
            }
            received.write(buffer, 0, n);
        }
    }

    @Override
    public void onAllDataRead() {
        body.complete(received.toByteArray());
    }

    @Override
    public void onError(Throwable error) {
        body.completeExceptionally(ApiProblemException.badRequest("the body could not be read to its end"));
    }

    private ApiProblemException tooLarge() {
        return ApiProblemException.tooLarge("the body is larger than " + max + " bytes; send less at once");
    }
}
