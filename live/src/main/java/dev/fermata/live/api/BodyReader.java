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

/** Reads the body of a request as it arrives, without a thread that waits for it, within a size and a time. */
final class BodyReader implements ReadListener {
    private final ServletInputStream in;
    private final int most;
    private final ByteArrayOutputStream read = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> whole = new CompletableFuture<>();
    private final byte[] buffer = new byte[8192];

    private BodyReader(ServletInputStream in, int most) {
        this.in = in;
        this.most = most;
    }

    /** The request must be in asynchronous mode. */
    static CompletableFuture<byte[]> read(
            HttpServletRequest request, int most, long withinMillis, ScheduledExecutorService timer)
            throws IOException {
        BodyReader reader = new BodyReader(request.getInputStream(), most);
        if (request.getContentLengthLong() > most) {
            return CompletableFuture.failedFuture(reader.tooLarge());
        }
        ScheduledFuture<?> deadline = timer.schedule(
                () -> reader.whole.completeExceptionally(
                        Refused.tooSlow("the body did not arrive within " + withinMillis / 1000 + " s")),
                withinMillis,
                TimeUnit.MILLISECONDS);
        reader.in.setReadListener(reader);
        return reader.whole.whenComplete((bytes, error) -> deadline.cancel(false));
    }

    @Override
    public void onDataAvailable() throws IOException {
        while (!whole.isDone() && in.isReady() && !in.isFinished()) {
            int n = in.read(buffer);
            if (n < 0) {
                break;
            }
            if (read.size() + n > most) {
                whole.completeExceptionally(tooLarge());
                return;
            }
            read.write(buffer, 0, n);
        }
    }

    @Override
    public void onAllDataRead() {
        whole.complete(read.toByteArray());
    }

    @Override
    public void onError(Throwable error) {
        whole.completeExceptionally(Refused.badRequest("the body could not be read to its end"));
    }

    private Refused tooLarge() {
        return Refused.tooLarge("the body is larger than " + most + " bytes; submit fewer jobs at once");
    }
}
