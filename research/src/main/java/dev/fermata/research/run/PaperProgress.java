package dev.fermata.research.run;

import dev.fermata.cli.output.StatusLine;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.text.Screen;
import java.io.PrintWriter;

/**
 * Progress of the reproductions. Units of one paper differ from those of another by orders of magnitude, while the
 * papers take about equally long; so each paper is an equal share of the bar. Safe to use from several threads.
 */
public final class PaperProgress implements AutoCloseable {
    private static final double NANOS = 1e9;

    private final Screen screen;
    private final int papers;
    private final StatusLine status;
    private final long begin = System.nanoTime();
    private long paperBegin = begin;
    private String paper = "";
    private String last = "";
    private int units = 1;
    private int doneUnits;
    private int donePapers;
    private long totalDoneUnits;

    private PaperProgress(PrintWriter err, Screen screen, boolean quiet, int papers) {
        this.screen = screen;
        this.papers = papers;
        this.status = new StatusLine(err, screen, quiet, this::line);
    }

    public static PaperProgress start(PrintWriter err, Screen screen, boolean quiet, int papers) {
        PaperProgress progress = new PaperProgress(err, screen, quiet, papers);
        progress.status.start();
        return progress;
    }

    public void begin(String name, int expectedUnits) {
        synchronized (this) {
            paper = name;
            units = Math.max(1, expectedUnits);
            doneUnits = 0;
            last = "";
            paperBegin = System.nanoTime();
        }
        status.printAbove(name + " (" + (donePapers + 1) + " of " + papers + "): " + HumanFormat.count(expectedUnits)
                + " work units");
    }

    public synchronized void unitDone(String unit) {
        doneUnits++;
        totalDoneUnits++;
        last = unit;
    }

    /** @param outcome result in a few words */
    public void end(String outcome) {
        String done;
        synchronized (this) {
            donePapers++;
            doneUnits = 0;
            done = paper + ": " + outcome + ", in " + HumanFormat.time((System.nanoTime() - paperBegin) / NANOS);
        }
        status.printAbove(done);
    }

    /** Writes to the same terminal with the progress bar cleared. */
    public void suspendWhile(Runnable writing) {
        status.suspendWhile(writing);
    }

    @Override
    public void close() {
        status.close();
    }

    private synchronized String line() {
        double within = Math.min(1, (double) doneUnits / units);
        double share = Math.min(1, (donePapers + within) / Math.max(1, papers));
        double seconds = (System.nanoTime() - begin) / NANOS;
        return StatusLine.bar(screen, share)
                + (papers > 1 ? "  " + donePapers + " of " + papers + " papers" : "")
                + "  " + HumanFormat.number(totalDoneUnits / seconds) + " units/s"
                + StatusLine.timeLeft(seconds, share)
                + "  " + paper + " " + HumanFormat.count(doneUnits) + " of " + HumanFormat.count(units)
                + (last.isEmpty() ? "" : ": " + last);
    }
}
