package dev.fermata.cli.output;

import dev.fermata.cli.output.TimeLeftEstimate.ActiveRun;
import dev.fermata.cli.output.TimeLeftEstimate.RunSize;
import dev.fermata.insight.experiment.RunProgress;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.text.Screen;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** The progress of simulated runs and the time left, as a {@link StatusLine}. Safe to use from several threads. */
public final class ProgressDisplay implements RunProgress, AutoCloseable {
    private static final double NANOS = 1e9;

    /** One run among those under way. */
    private final class ActiveTrack implements RunTrack {
        private final String label;
        private final RunSize work;
        private final long begin = System.nanoTime();
        private final AtomicLong ended = new AtomicLong();

        private ActiveTrack(String label, RunSize work) {
            this.label = label;
            this.work = work;
        }

        @Override
        public void jobEnded() {
            ended.incrementAndGet();
        }

        @Override
        public void close() {
            synchronized (tracks) {
                tracks.remove(this);
                finishedJobs += ended.get();
                finishedRuns++;
                timeLeft.record(work, secondsSince(begin));
            }
        }

        private double share() {
            return Math.min(1, (double) ended.get() / Math.max(1, work.jobs()));
        }

        private ActiveRun activeRun() {
            return new ActiveRun(work, share(), secondsSince(begin));
        }

        private String text() {
            return label + " " + (int) (share() * 100) + " %";
        }
    }

    private final PrintWriter err;
    private final Screen screen;
    private final int threads;
    private final long begin = System.nanoTime();
    private final TimeLeftEstimate timeLeft = new TimeLeftEstimate();
    private final List<RunSize> waiting = new ArrayList<>();
    private final Set<ActiveTrack> tracks = new LinkedHashSet<>();
    private final StatusLine status;
    private long finishedJobs;
    private int finishedRuns;

    private ProgressDisplay(PrintWriter err, Screen screen, boolean quiet, int threads) {
        this.err = err;
        this.screen = screen;
        this.threads = threads;
        this.status = new StatusLine(err, screen, quiet, this::line);
    }

    public static ProgressDisplay start(PrintWriter err, Screen screen, boolean quiet, int threads) {
        ProgressDisplay progress = new ProgressDisplay(err, screen, quiet, threads);
        progress.status.start();
        return progress;
    }

    /** Announces a run. */
    @Override
    public void expect(String policy, int jobs) {
        synchronized (tracks) {
            waiting.add(new RunSize(policy, jobs));
        }
    }

    /** Such a run was made before and took so long. */
    @Override
    public void recordFinished(String policy, int jobs, double seconds) {
        synchronized (tracks) {
            finishedRuns++;
            timeLeft.record(new RunSize(policy, jobs), seconds);
        }
    }

    /** What such a run will take; infinite while that is unknown. */
    @Override
    public double expectedSeconds(String policy, int jobs) {
        synchronized (tracks) {
            return timeLeft.seconds(new RunSize(policy, jobs));
        }
    }

    /** A run begins, expected or not. */
    @Override
    public RunTrack begin(String label, String policy, int jobs) {
        ActiveTrack track = new ActiveTrack(label, new RunSize(policy, jobs));
        synchronized (tracks) {
            waiting.remove(track.work);
            tracks.add(track);
        }
        return track;
    }

    /** A message that is printed even without progress. */
    @Override
    public void warn(String text) {
        status.suspendWhile(() -> {
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
            double left = timeLeft.secondsLeft(
                    waiting, tracks.stream().map(ActiveTrack::activeRun).toList(), threads);
            return StatusLine.bar(screen, Double.isNaN(left) ? 0 : seconds / (seconds + left))
                    + (runs > 1 ? "  " + finishedRuns + " of " + runs + " runs" : "")
                    + "  " + HumanFormat.count(jobs / seconds) + " jobs/s"
                    + (Double.isNaN(left) ? "" : "  " + HumanFormat.time(left) + " left")
                    + tracks.stream().map(ActiveTrack::text).collect(Collectors.joining(", ", "  ", ""));
        }
    }

    private static double secondsSince(long nanos) {
        return (System.nanoTime() - nanos) / NANOS;
    }
}
