package dev.fermata.app.output;

import java.io.PrintWriter;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * How far simulated runs have come: jobs ended of all jobs, as a {@link StatusLine}. Safe to use from several threads.
 */
public final class Progress implements AutoCloseable {
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

    private final Screen screen;
    private final int runs;
    private final long totalJobs;
    private final long begin = System.nanoTime();
    private final Set<Track> tracks = new LinkedHashSet<>();
    private final StatusLine status;
    private long finishedJobs;
    private int finishedRuns;

    private Progress(PrintWriter err, Screen screen, boolean quiet, int runs, long totalJobs) {
        this.screen = screen;
        this.runs = runs;
        this.totalJobs = totalJobs;
        this.status = new StatusLine(err, screen, quiet, this::line);
    }

    public static Progress start(PrintWriter err, Screen screen, boolean quiet, int runs, long totalJobs) {
        Progress progress = new Progress(err, screen, quiet, runs, totalJobs);
        progress.status.start();
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
        status.close();
    }

    private String line() {
        synchronized (tracks) {
            long done =
                    finishedJobs + tracks.stream().mapToLong(t -> t.ended.get()).sum();
            double share = Math.min(1, (double) done / Math.max(1, totalJobs));
            double seconds = (System.nanoTime() - begin) / NANOS;
            return StatusLine.bar(screen, share)
                    + (runs > 1 ? "  " + finishedRuns + " of " + runs + " runs" : "")
                    + "  " + Humane.count(done / seconds) + " jobs/s"
                    + StatusLine.left(seconds, share)
                    + tracks.stream().map(Track::show).collect(Collectors.joining(", ", "  ", ""));
        }
    }
}
