package dev.fermata.app.output;

import java.io.PrintWriter;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * How far long work has come, on stderr: a status line that redraws itself on a terminal, plain lines now and then in a
 * pipe, nothing when asked to be quiet. Safe to use from several threads.
 */
public final class Progress implements AutoCloseable {
    private static final long REDRAW_MILLIS = 200;
    private static final long PLAIN_MILLIS = 10_000;
    private static final int BAR = 20;
    private static final double NANOS = 1e9;

    /** One run among those under way. */
    public final class Track implements AutoCloseable {
        private final String label;
        private final long jobs;
        private final AtomicLong ended = new AtomicLong();

        private Track(String label, long jobs) {
            this.label = label;
            this.jobs = jobs;
        }

        public void jobEnded() {
            ended.incrementAndGet();
        }

        @Override
        public void close() {
            synchronized (tracks) {
                tracks.remove(this);
                finishedJobs += jobs;
                finishedRuns++;
            }
        }

        private String show() {
            return label + " " + ended.get() * 100 / Math.max(1, jobs) + " %";
        }
    }

    private final PrintWriter err;
    private final Screen screen;
    private final int runs;
    private final long totalJobs;
    private final long begin = System.nanoTime();
    private final Set<Track> tracks = new LinkedHashSet<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread drawer = new Thread(this::draw, "progress");
    private final boolean quiet;
    private long finishedJobs;
    private int finishedRuns;

    private Progress(PrintWriter err, Screen screen, boolean quiet, int runs, long totalJobs) {
        this.err = err;
        this.screen = screen;
        this.quiet = quiet;
        this.runs = runs;
        this.totalJobs = totalJobs;
    }

    public static Progress start(PrintWriter err, Screen screen, boolean quiet, int runs, long totalJobs) {
        Progress progress = new Progress(err, screen, quiet, runs, totalJobs);
        if (!quiet) {
            progress.drawer.setDaemon(true);
            progress.drawer.start();
        }
        return progress;
    }

    public Track begin(String label, long jobs) {
        Track track = new Track(label, jobs);
        synchronized (tracks) {
            tracks.add(track);
        }
        return track;
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
        if (screen.terminal()) {
            err.print("\r\u001b[K");
            err.flush();
        }
    }

    private void draw() {
        long pause = screen.terminal() ? REDRAW_MILLIS : PLAIN_MILLIS;
        try {
            while (!closed.await(pause, TimeUnit.MILLISECONDS)) {
                String line = line();
                if (screen.terminal()) {
                    // One short of the width: a full line would wrap and could not be redrawn.
                    err.print("\r" + line.substring(0, Math.min(line.length(), screen.columns() - 1)) + "\u001b[K");
                } else {
                    err.println(line);
                }
                err.flush();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String line() {
        synchronized (tracks) {
            long done =
                    finishedJobs + tracks.stream().mapToLong(t -> t.ended.get()).sum();
            double share = Math.min(1, (double) done / Math.max(1, totalJobs));
            double seconds = (System.nanoTime() - begin) / NANOS;
            int filled = (int) (share * BAR);
            String bar = screen.terminal() ? "[" + "#".repeat(filled) + ".".repeat(BAR - filled) + "] " : "";
            return bar + (int) (share * 100) + " %"
                    + (runs > 1 ? "  " + finishedRuns + " of " + runs + " runs" : "")
                    + "  " + Humane.count(done / seconds) + " jobs/s"
                    + (done == 0 ? "" : "  " + Humane.time(seconds * (1 - share) / Math.max(1e-9, share)) + " left")
                    + tracks.stream().map(Track::show).collect(Collectors.joining(", ", "  ", ""));
        }
    }
}
