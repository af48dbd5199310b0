package dev.fermata.app.exit;

import java.io.Closeable;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C as a question that long work asks now and then. The hook waits a little for the work to say what it has, then
 * lets the JVM end; the exit code of a JVM ended by the signal is 130 by itself.
 */
public final class Interruption {
    private static final long PATIENCE_SECONDS = 5;

    private final CountDownLatch finished = new CountDownLatch(1);
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();
    private volatile boolean asked;
    private volatile long patienceSeconds = PATIENCE_SECONDS;

    public boolean asked() {
        return asked;
    }

    public void ask() {
        asked = true;
        waiting.forEach(Runnable::run);
    }

    /** Runs this as soon as somebody asks, for work that is blocked and cannot look; at once if somebody has. Close it when done. */
    public Hearing hear(Runnable reaction) {
        waiting.add(reaction);
        if (asked) {
            reaction.run();
        }
        return () -> waiting.remove(reaction);
    }

    /** Ends the hearing. */
    public interface Hearing {
        void close();
    }

    /** Waits this long, or until somebody asks; answers whether somebody did. */
    public boolean pause(long millis) {
        CountDownLatch heard = new CountDownLatch(1);
        Hearing hearing = hear(heard::countDown);
        try {
            return heard.await(millis, TimeUnit.MILLISECONDS) || asked;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        } finally {
            hearing.close();
        }
    }

    /** Work that blocks: whoever asks interrupts its thread, and then this comes back as if the work were done. */
    public void around(Runnable work) {
        if (asked) {
            return;
        }
        Hearing hearing = hear(Thread.currentThread()::interrupt);
        try {
            work.run();
        } catch (Complaint complaint) {
            if (!asked || complaint.exitCode() != ExitCode.INTERRUPTED) {
                throw complaint;
            }
        } finally {
            hearing.close();
            if (asked) {
                Thread.interrupted(); // heard: what is said at the end must not be interrupted too
            }
        }
    }

    /** Reads from what does not hear when its thread is interrupted: whoever asks closes it. */
    public <T> T closing(Closeable source, Reading<T> reading) throws IOException {
        Hearing hearing = hear(() -> {
            try {
                source.close();
            } catch (IOException e) {
                // It is being left anyway.
            }
        });
        try {
            return reading.read();
        } finally {
            hearing.close();
        }
    }

    /** Something that reads. */
    public interface Reading<T> {
        T read() throws IOException;
    }

    /** For work that needs longer than usual to end well. */
    public void allow(long seconds) {
        patienceSeconds = seconds;
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
            if (!finished.await(patienceSeconds, TimeUnit.SECONDS)) {
                System.err.println("fermata: interrupted");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
