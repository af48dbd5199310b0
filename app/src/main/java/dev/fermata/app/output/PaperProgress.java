package dev.fermata.app.output;

import java.io.PrintWriter;

/**
 * How far the reproductions have come. Pieces of one paper differ from those of another by orders of magnitude, while
 * the papers take about as long as each other; so each paper is an equal share of the bar. Safe to use from several
 * threads.
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
    private int pieces = 1;
    private int donePieces;
    private int donePapers;
    private long doneInAll;

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

    public void begin(String name, int expectedPieces) {
        synchronized (this) {
            paper = name;
            pieces = Math.max(1, expectedPieces);
            donePieces = 0;
            last = "";
            paperBegin = System.nanoTime();
        }
        status.say(name + " (" + (donePapers + 1) + " of " + papers + "): " + Humane.count(expectedPieces)
                + " pieces of work");
    }

    public synchronized void pieceDone(String piece) {
        donePieces++;
        doneInAll++;
        last = piece;
    }

    /** @param outcome what came of it, in a few words */
    public void end(String outcome) {
        String done;
        synchronized (this) {
            donePapers++;
            donePieces = 0;
            done = paper + ": " + outcome + ", in " + Humane.time((System.nanoTime() - paperBegin) / NANOS);
        }
        status.say(done);
    }

    /** Writing to the same terminal, without the bar in the way. */
    public void aside(Runnable writing) {
        status.aside(writing);
    }

    @Override
    public void close() {
        status.close();
    }

    private synchronized String line() {
        double within = Math.min(1, (double) donePieces / pieces);
        double share = Math.min(1, (donePapers + within) / Math.max(1, papers));
        double seconds = (System.nanoTime() - begin) / NANOS;
        return StatusLine.bar(screen, share)
                + (papers > 1 ? "  " + donePapers + " of " + papers + " papers" : "")
                + "  " + Humane.number(doneInAll / seconds) + " pieces/s"
                + StatusLine.left(seconds, share)
                + "  " + paper + " " + Humane.count(donePieces) + " of " + Humane.count(pieces)
                + (last.isEmpty() ? "" : ": " + last);
    }
}
