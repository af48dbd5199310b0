package dev.fermata.app.report.figure;

import dev.fermata.app.output.Humane;
import dev.fermata.app.report.plot.Canvas;
import dev.fermata.app.report.plot.Canvas.Anchor;
import dev.fermata.app.report.plot.Fill;
import dev.fermata.app.report.plot.Ink;
import dev.fermata.app.report.plot.Letters;
import dev.fermata.app.report.plot.Pen;
import dev.fermata.app.report.plot.Plot;
import dev.fermata.sim.portrait.Gantt;
import java.util.List;

/** What stood on the GPUs: a row for each, time to the right; loading, running, lost work and pausing by pattern. */
public record GanttPlot(String name, String policy, Gantt gantt) implements Plot {
    private static final double LEFT = 104;
    private static final double TOP = 8;
    private static final double WIDE = Sizes.WIDTH - LEFT - 14;
    private static final int TICKS = 6;
    private static final double THINNEST = 0.002;
    private static final Pen BORDER = Pen.solid(Ink.PAPER, 0.5);
    private static final Fill LOADING = new Fill(Ink.TEXT, 0.08, Fill.Pattern.RISING);
    private static final Fill PAUSING = new Fill(Ink.VERMILLION, 0.3, Fill.Pattern.UPRIGHT);
    private static final Fill LOST = new Fill(Ink.TEXT, 0.25, Fill.Pattern.CROSSED);

    private double rowHeight() {
        return gantt.rows().size() > 16 ? 11 : 15;
    }

    private double high() {
        return gantt.rows().size() * rowHeight();
    }

    @Override
    public String title() {
        return "GPUs under " + policy;
    }

    @Override
    public String description() {
        String which = gantt.rows().size() == gantt.gpus()
                ? "All " + Humane.amount(gantt.gpus(), "GPU")
                : Humane.amount(gantt.rows().size(), "GPU") + " of " + gantt.gpus() + ", on "
                        + gantt.nodesShown() + " of " + Humane.amount(gantt.nodes(), "node")
                        + " chosen at even distances";
        String when = gantt.windows() == 1
                ? "the whole run."
                : "the part from " + clock(gantt.fromMillis()) + " to " + clock(gantt.toMillis())
                        + ": of " + gantt.windows()
                        + " parts with as many stays it has the most pauses (the earliest one where they are as many).";
        return which + ", " + when;
    }

    /** Seconds since the first submission. */
    public double fromSeconds() {
        return (gantt.fromMillis() - gantt.runFromMillis()) / 1000.0;
    }

    public double toSeconds() {
        return (gantt.toMillis() - gantt.runFromMillis()) / 1000.0;
    }

    @Override
    public double width() {
        return Sizes.WIDTH;
    }

    @Override
    public double height() {
        return TOP + high() + 68;
    }

    @Override
    public void draw(Canvas canvas) {
        double bottom = TOP + high();
        for (int r = 0; r < gantt.rows().size(); r++) {
            Gantt.Row row = gantt.rows().get(r);
            double y = TOP + r * rowHeight();
            if (r == 0 || !row.node().equals(gantt.rows().get(r - 1).node())) {
                canvas.line(0, y, LEFT + WIDE, y, Pen.solid(Ink.RULE, 1));
                canvas.text(4, y + 11, Anchor.START, Letters.LABEL, Sizes.cut(row.node(), 14));
            }
        }
        canvas.line(LEFT, bottom, LEFT + WIDE, bottom, Pen.solid(Ink.FAINT, 1));
        canvas.beginWindow(LEFT, TOP, WIDE, high());
        Lanes lanes = new Lanes(gantt);
        for (int s = 0; s < gantt.stays().size(); s++) {
            draw(canvas, s, lanes);
        }
        canvas.endWindow();
        double step = (toSeconds() - fromSeconds()) / TICKS;
        for (int i = 0; i <= TICKS; i++) {
            double x = LEFT + WIDE * i / TICKS;
            canvas.line(x, bottom, x, bottom + 4, Pen.solid(Ink.FAINT, 1));
            canvas.tick(
                    x,
                    bottom + 17,
                    i == TICKS ? Anchor.END : Anchor.MIDDLE,
                    clock(gantt.fromMillis() + Math.round(i * step * 1000)));
        }
        canvas.text(LEFT + WIDE, bottom + 33, Anchor.END, Letters.LABEL, "time since the first submission");
        key(canvas, bottom + 46);
    }

    private void draw(Canvas canvas, int index, Lanes lanes) {
        Gantt.Stay stay = gantt.stays().get(index);
        canvas.begin(words(stay));
        List<Lanes.Block> blocks = lanes.blocks(index);
        Fill running = Fill.plain(Ink.series((int) Math.floorMod(stay.job(), 7L)), 0.5);
        long runEnd = stay.stoppedMillis() < 0 ? stay.toMillis() : stay.stoppedMillis();
        long loaded = stay.runningMillis() < 0 ? runEnd : stay.runningMillis();
        for (Lanes.Block block : blocks) {
            piece(canvas, block, stay.fromMillis(), loaded, LOADING);
            piece(canvas, block, loaded, runEnd - stay.lostMillis(), running);
            piece(canvas, block, runEnd - stay.lostMillis(), runEnd, LOST);
            piece(canvas, block, runEnd, stay.toMillis(), PAUSING);
            if (stay.stoppedMillis()
                    >= gantt.fromMillis()) { // a line as well: most pauses are too short to be seen from afar
                double x = at(stay.stoppedMillis());
                double top = block.top() * rowHeight();
                canvas.line(x, top, x, top + block.high() * rowHeight(), Pen.solid(Ink.VERMILLION, 1.4));
            }
        }
        canvas.end();
    }

    private void piece(Canvas canvas, Lanes.Block block, long from, long to, Fill fill) {
        double begin = at(from);
        double end = at(to);
        if (end - begin > THINNEST) {
            canvas.rect(begin, block.top() * rowHeight(), end - begin, block.high() * rowHeight(), BORDER, fill);
        }
    }

    private double at(long millis) {
        double share = (millis - gantt.fromMillis()) / (double) Math.max(1, gantt.toMillis() - gantt.fromMillis());
        return WIDE * Math.max(0, Math.min(1, share));
    }

    private String words(Gantt.Stay stay) {
        StringBuilder words = new StringBuilder();
        words.append("job ")
                .append(stay.job())
                .append(" (")
                .append(Sizes.cut(stay.name(), 60))
                .append("), ");
        words.append(Humane.amount(stay.gpus(), "GPU"));
        words.append(stay.attempt() > 1 ? ", attempt " + stay.attempt() : "");
        words.append(stay.shared() ? ", shared" : "");
        words.append(": ").append(clock(stay.fromMillis())).append(" to ").append(clock(stay.toMillis()));
        if (stay.pausedFor() == stay.job()) {
            words.append("; left for other GPUs");
        } else if (stay.pausedFor() >= 0) {
            words.append("; paused for job ").append(stay.pausedFor());
            words.append(" (").append(Sizes.cut(stay.pausedForName(), 60)).append(')');
        }
        words.append(ending(stay.end()));
        if (stay.lostMillis() > 0) {
            words.append("; lost ").append(Humane.time(stay.lostMillis() / 1000.0));
        }
        return words.toString();
    }

    private static String ending(String outcome) {
        return switch (outcome) {
            case "COMPLETED" -> "; completed";
            case "OOM" -> "; out of memory";
            case "LOST" -> "; killed before it could save";
            case "FAILED" -> "; failed";
            case "CANCELLED" -> "; cancelled";
            case "" -> " and on";
            default -> "";
        };
    }

    private String clock(long millis) {
        return millis == gantt.runFromMillis() ? "0" : Humane.time((millis - gantt.runFromMillis()) / 1000.0);
    }

    private static void key(Canvas canvas, double y) {
        double x = LEFT;
        Object[][] entries = {
            {"loading", LOADING},
            {"running (colours tell neighbours apart)", Fill.plain(Ink.BLUE, 0.5)},
            {"work lost", LOST},
            {"pausing", PAUSING}
        };
        for (Object[] entry : entries) {
            canvas.rect(x, y, 22, 12, Pen.solid(Ink.FAINT, 0.5), (Fill) entry[1]);
            canvas.text(x + 28, y + 10, Anchor.START, Letters.LABEL, (String) entry[0]);
            x += 50 + ((String) entry[0]).length() * 6;
        }
    }
}
