package dev.fermata.app.output;

import dev.fermata.app.output.Forecast.Underway;
import dev.fermata.app.output.Forecast.Work;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * How far simulated runs have come and how long the rest will take, as a {@link StatusLine}. Safe to use from several
 * threads.
 */
public final class Progress implements AutoCloseable {
    private static final double NANOS = 1e9;

    /** One run among those under way. */
    public final class Track implements AutoCloseable {
        private final String label;
        private final Work work;
        private final long begin = System.nanoTime();
        private final AtomicLong ended = new AtomicLong();

        private Track(String label, Work work) {
            this.label = label;
            this.work = work;
        }

        public void jobEnded() {
            ended.incrementAndGet();
        }

        @Override
        public void close() {
            synchronized (tracks) {
                tracks.remove(this);
                finishedJobs += ended.get();
                finishedRuns++;
                forecast.took(work, secondsSince(begin));
            }
        }

        private double share() {
            return Math.min(1, (double) ended.get() / Math.max(1, work.jobs()));
        }

        private Underway underway() {
            return new Underway(work, share(), secondsSince(begin));
        }

        private String show() {
            return label + " " + (int) (share() * 100) + " %";
        }
    }

    private final PrintWriter err;
    private final Screen screen;
    private final int threads;
    private final long begin = System.nanoTime();
    private final Forecast forecast = new Forecast();
    private final List<Work> waiting = new ArrayList<>();
    private final Set<Track> tracks = new LinkedHashSet<>();
    private final StatusLine status;
    private long finishedJobs;
    private int finishedRuns;

    private Progress(PrintWriter err, Screen screen, boolean quiet, int threads) {
        this.err = err;
        this.screen = screen;
        this.threads = threads;
        this.status = new StatusLine(err, screen, quiet, this::line);
    }

    public static Progress start(PrintWriter err, Screen screen, boolean quiet, int threads) {
        Progress progress = new Progress(err, screen, quiet, threads);
        progress.status.start();
        return progress;
    }

    /** Such a run is to come. */
    public void expect(String policy, int jobs) {
        synchronized (tracks) {
            waiting.add(new Work(policy, jobs));
        }
    }

    /** Such a run was made before and took so long. */
    public void remember(String policy, int jobs, double seconds) {
        synchronized (tracks) {
            finishedRuns++;
            forecast.took(new Work(policy, jobs), seconds);
        }
    }

    /** What such a run will take; infinite while nobody knows. */
    public double expectedSeconds(String policy, int jobs) {
        synchronized (tracks) {
            return forecast.seconds(new Work(policy, jobs));
        }
    }

    /** A run begins, expected or not. */
    public Track begin(String label, String policy, int jobs) {
        Track track = new Track(label, new Work(policy, jobs));
        synchronized (tracks) {
            waiting.remove(track.work);
            tracks.add(track);
        }
        return track;
    }

    /** Something a reader must not miss, also one who wants no progress. */
    public void warn(String text) {
        status.aside(() -> {
            err.println("fermata: warning: " + text);
            err.flush();
        });
    }

    @Override
    public void close() {
        status.close();
    }

    private String line() {
        synchronized (tracks) {
            int runs = finishedRuns + tracks.size() + waiting.size();
            long jobs =
                    finishedJobs + tracks.stream().mapToLong(t -> t.ended.get()).sum();
            double seconds = secondsSince(begin);
            double left =
                    forecast.left(waiting, tracks.stream().map(Track::underway).toList(), threads);
            return StatusLine.bar(screen, Double.isNaN(left) ? 0 : seconds / (seconds + left))
                    + (runs > 1 ? "  " + finishedRuns + " of " + runs + " runs" : "")
                    + "  " + Humane.count(jobs / seconds) + " jobs/s"
                    + (Double.isNaN(left) ? "" : "  " + Humane.time(left) + " left")
                    + tracks.stream().map(Track::show).collect(Collectors.joining(", ", "  ", ""));
        }
    }

    private static double secondsSince(long nanos) {
        return (System.nanoTime() - nanos) / NANOS;
    }
}
