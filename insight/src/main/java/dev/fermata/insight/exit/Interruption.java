package dev.fermata.insight.exit;

import java.io.Closeable;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C as a flag that long work polls. The shutdown hook waits a little for the work to print its results, then lets
 * the JVM end; the exit code of a JVM ended by the signal is 130.
 */
public final class Interruption {
    private static final long TIMEOUT_SECONDS = 5;

    private final CountDownLatch finished = new CountDownLatch(1);
    private final Queue<Runnable> reactions = new ConcurrentLinkedQueue<>();
    private volatile boolean requested;
    private volatile long timeoutSeconds = TIMEOUT_SECONDS;

    public boolean isRequested() {
        return requested;
    }

    public void request() {
        requested = true;
        reactions.forEach(Runnable::run);
    }

    /**
     * Runs this action on interruption, for work that is blocked and cannot poll; at once if it has happened. Close it
     * when done.
     */
    public Registration onRequest(Runnable reaction) {
        reactions.add(reaction);
        if (requested) {
            reaction.run();
        }
        return () -> reactions.remove(reaction);
    }

    /** Removes the action. */
    public interface Registration {
        void close();
    }

    /** Waits this long, or until the interruption; returns whether it happened. */
    public boolean sleep(long millis) {
        CountDownLatch signalled = new CountDownLatch(1);
        Registration registration = onRequest(signalled::countDown);
        try {
            return signalled.await(millis, TimeUnit.MILLISECONDS) || requested;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        } finally {
            registration.close();
        }
    }

    /** Runs work that blocks: an interruption interrupts its thread, and the call returns as if the work were done. */
    public void runInterruptibly(Runnable work) {
        if (requested) {
            return;
        }
        Registration registration = onRequest(Thread.currentThread()::interrupt);
        try {
            work.run();
        } catch (UserError userError) {
            if (!requested || userError.exitCode() != ExitCode.INTERRUPTED) {
                throw userError;
            }
        } finally {
            registration.close();
            if (requested) {
                Thread.interrupted(); // handled: the final output must not be interrupted too
            }
        }
    }

    /** Reads from a source that ignores thread interrupts: an interruption closes it. */
    public <T> T readInterruptibly(Closeable source, InterruptibleRead<T> reading) throws IOException {
        Registration registration = onRequest(() -> {
            try {
                source.close();
            } catch (IOException e) {
                // The reader ends anyway.
            }
        });
        try {
            return reading.read();
        } finally {
            registration.close();
        }
    }

    /** A read operation. */
    public interface InterruptibleRead<T> {
        T read() throws IOException;
    }

    /** For work that needs longer than usual to end well. */
    public void setTimeout(long seconds) {
        timeoutSeconds = seconds;
    }

    /** From now on a signal sets the flag first. Call {@link #finished} when all output is written. */
    public void installShutdownHook() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::requestAndWait, "interruption"));
    }

    public void markFinished() {
        finished.countDown();
    }

    private void requestAndWait() {
        request();
        try {
            if (!finished.await(timeoutSeconds, TimeUnit.SECONDS)) {
                System.err.println("fermata: interrupted");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
