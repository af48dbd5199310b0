package dev.fermata.app.exit;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C as a question that long work asks now and then. The hook waits a little for the work to say what it has, then
 * lets the JVM end; the exit code of a JVM ended by the signal is 130 by itself.
 */
public final class Interruption {
    private static final long PATIENCE_SECONDS = 5;

    private final CountDownLatch finished = new CountDownLatch(1);
    private volatile boolean asked;

    public boolean asked() {
        return asked;
    }

    public void ask() {
        asked = true;
    }

    /** From now on a signal asks first. Call {@link #finished} when everything is said. */
    public void listen() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::askAndWait, "interruption"));
    }

    public void finished() {
        finished.countDown();
    }

    private void askAndWait() {
        ask();
        try {
            if (!finished.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("fermata: interrupted");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
