package dev.fermata.cli.output;

import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.text.Screen;
import java.io.PrintWriter;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The line on stderr that says how far long work has come. It is redrawn in place on a terminal, a plain line now and
 * then in a pipe, and absent when quiet.
 */
public final class StatusLine implements AutoCloseable {
    private static final long REDRAW_MILLIS = 200;
    private static final long PLAIN_MILLIS = 10_000;
    private static final int BAR = 20;
    private static final String CLEAR = "\r\u001b[K";

    private final PrintWriter err;
    private final Screen screen;
    private final boolean quiet;
    private final Supplier<String> line;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread drawer = new Thread(this::draw, "progress");

    public StatusLine(PrintWriter err, Screen screen, boolean quiet, Supplier<String> line) {
        this.err = err;
        this.screen = screen;
        this.quiet = quiet;
        this.line = line;
    }

    public void start() {
        if (!quiet) {
            drawer.setDaemon(true);
            drawer.start();
        }
    }

    /** A bar where it can be redrawn, and the share in any case. */
    public static String bar(Screen screen, double share) {
        int filled = (int) (share * BAR);
        String bar = screen.terminal() ? "[" + "#".repeat(filled) + ".".repeat(BAR - filled) + "] " : "";
        return bar + (int) (share * 100) + " %";
    }

    /** No estimate before some work is done. */
    public static String timeLeft(double seconds, double share) {
        return share <= 0 ? "" : "  " + HumanFormat.time(seconds * (1 - share) / share) + " left";
    }

    /** A bar and how long the rest will take, when this share took so long. */
    public static String progress(Screen screen, double share, double seconds) {
        return bar(screen, share) + timeLeft(seconds, share);
    }

    /** A line that stays, above this one. */
    public void printAbove(String text) {
        if (!quiet) {
            suspendWhile(() -> {
                err.println(text);
                err.flush();
            });
        }
    }

    /** Writing to the same terminal, without this line in the way. */
    public synchronized void suspendWhile(Runnable writing) {
        clear();
        writing.run();
    }

    @Override
    public void close() {
        closed.countDown();
        if (quiet) {
            return;
        }
        try {
            drawer.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        clear();
    }

    private synchronized void clear() {
        if (screen.terminal() && !quiet) {
            err.print(CLEAR);
            err.flush();
        }
    }

    private void draw() {
        long pause = screen.terminal() ? REDRAW_MILLIS : PLAIN_MILLIS;
        try {
            while (!closed.await(pause, TimeUnit.MILLISECONDS)) {
                print(line.get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void print(String now) {
        if (screen.terminal()) {
            // One short of the width: a full line would wrap and could not be redrawn.
            err.print("\r" + now.substring(0, Math.min(now.length(), screen.columns() - 1)) + "\u001b[K");
        } else {
            err.println(now);
        }
        err.flush();
    }
}
