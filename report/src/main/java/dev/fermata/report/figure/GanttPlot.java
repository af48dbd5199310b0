package dev.fermata.report.figure;

import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.plot.Canvas;
import dev.fermata.report.plot.Canvas.Anchor;
import dev.fermata.report.plot.FillStyle;
import dev.fermata.report.plot.LineStyle;
import dev.fermata.report.plot.Plot;
import dev.fermata.report.plot.PlotColor;
import dev.fermata.report.plot.TextStyle;
import dev.fermata.sim.recording.GanttChart;
import java.util.List;

/** The attempts on the GPUs: a row for each GPU, time to the right; loading, running, lost work and pausing by pattern. */
public record GanttPlot(String name, String policy, GanttChart gantt) implements Plot {
    private static final double LEFT = 104;
    private static final double TOP = 8;
    private static final double WIDE = FigureSizes.WIDTH - LEFT - 14;
    private static final int TICKS = 6;
    private static final double THINNEST = 0.002;
    private static final LineStyle BORDER = LineStyle.solid(PlotColor.PAPER, 0.5);
    private static final FillStyle LOADING = new FillStyle(PlotColor.TEXT, 0.08, FillStyle.Pattern.RISING);
    private static final FillStyle PAUSING = new FillStyle(PlotColor.VERMILLION, 0.3, FillStyle.Pattern.UPRIGHT);
    private static final FillStyle LOST = new FillStyle(PlotColor.TEXT, 0.25, FillStyle.Pattern.CROSSED);

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
                ? "All " + HumanFormat.amount(gantt.gpus(), "GPU")
                : HumanFormat.amount(gantt.rows().size(), "GPU") + " of " + gantt.gpus() + ", on "
                        + gantt.nodesShown() + " of " + HumanFormat.amount(gantt.nodes(), "node")
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
        return FigureSizes.WIDTH;
    }

    @Override
    public double height() {
        return TOP + high() + 68;
    }

    @Override
    public void draw(Canvas canvas) {
        double bottom = TOP + high();
        for (int r = 0; r < gantt.rows().size(); r++) {
            GanttChart.GanttRow row = gantt.rows().get(r);
            double y = TOP + r * rowHeight();
            if (r == 0 || !row.node().equals(gantt.rows().get(r - 1).node())) {
                canvas.line(0, y, LEFT + WIDE, y, LineStyle.solid(PlotColor.RULE, 1));
                canvas.text(4, y + 11, Anchor.START, TextStyle.LABEL, FigureSizes.truncate(row.node(), 14));
            }
        }
        canvas.line(LEFT, bottom, LEFT + WIDE, bottom, LineStyle.solid(PlotColor.FAINT, 1));
        canvas.beginWindow(LEFT, TOP, WIDE, high());
        GanttLanes lanes = new GanttLanes(gantt);
        for (int s = 0; s < gantt.intervals().size(); s++) {
            draw(canvas, s, lanes);
        }
        canvas.endWindow();
        double step = (toSeconds() - fromSeconds()) / TICKS;
        for (int i = 0; i <= TICKS; i++) {
            double x = LEFT + WIDE * i / TICKS;
            canvas.line(x, bottom, x, bottom + 4, LineStyle.solid(PlotColor.FAINT, 1));
            canvas.tick(
                    x,
                    bottom + 17,
                    i == TICKS ? Anchor.END : Anchor.MIDDLE,
                    clock(gantt.fromMillis() + Math.round(i * step * 1000)));
        }
        canvas.text(LEFT + WIDE, bottom + 33, Anchor.END, TextStyle.LABEL, "time since the first submission");
        drawLegend(canvas, bottom + 46);
    }

    private void draw(Canvas canvas, int index, GanttLanes lanes) {
        GanttChart.GanttInterval interval = gantt.intervals().get(index);
        canvas.begin(intervalText(interval));
        List<GanttLanes.Block> blocks = lanes.blocks(index);
        FillStyle running = FillStyle.plain(PlotColor.series((int) Math.floorMod(interval.job(), 7L)), 0.5);
        long runEnd = interval.stoppedMillis() < 0 ? interval.toMillis() : interval.stoppedMillis();
        long loaded = interval.runningMillis() < 0 ? runEnd : interval.runningMillis();
        for (GanttLanes.Block block : blocks) {
            drawPiece(canvas, block, interval.fromMillis(), loaded, LOADING);
            drawPiece(canvas, block, loaded, runEnd - interval.lostMillis(), running);
            drawPiece(canvas, block, runEnd - interval.lostMillis(), runEnd, LOST);
            drawPiece(canvas, block, runEnd, interval.toMillis(), PAUSING);
            if (interval.stoppedMillis()
                    >= gantt.fromMillis()) { // a line as well: most pauses are too short to be seen from afar
                double x = at(interval.stoppedMillis());
                double top = block.top() * rowHeight();
                canvas.line(x, top, x, top + block.high() * rowHeight(), LineStyle.solid(PlotColor.VERMILLION, 1.4));
            }
        }
        canvas.end();
    }

    private void drawPiece(Canvas canvas, GanttLanes.Block block, long from, long to, FillStyle fill) {
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

    private String intervalText(GanttChart.GanttInterval interval) {
        StringBuilder words = new StringBuilder();
        words.append("job ")
                .append(interval.job())
                .append(" (")
                .append(FigureSizes.truncate(interval.name(), 60))
                .append("), ");
        words.append(HumanFormat.amount(interval.gpus(), "GPU"));
        words.append(interval.attempt() > 1 ? ", attempt " + interval.attempt() : "");
        words.append(interval.shared() ? ", shared" : "");
        words.append(": ").append(clock(interval.fromMillis())).append(" to ").append(clock(interval.toMillis()));
        if (interval.beneficiary() == interval.job()) {
            words.append("; left for other GPUs");
        } else if (interval.beneficiary() >= 0) {
            words.append("; paused for job ").append(interval.beneficiary());
            words.append(" (")
                    .append(FigureSizes.truncate(interval.beneficiaryName(), 60))
                    .append(')');
        }
        words.append(ending(interval.outcome()));
        if (interval.lostMillis() > 0) {
            words.append("; lost ").append(HumanFormat.time(interval.lostMillis() / 1000.0));
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
        return millis == gantt.runFromMillis() ? "0" : HumanFormat.time((millis - gantt.runFromMillis()) / 1000.0);
    }

    private static void drawLegend(Canvas canvas, double y) {
        double x = LEFT;
        Object[][] entries = {
            {"loading", LOADING},
            {"running (colours distinguish neighbours)", FillStyle.plain(PlotColor.BLUE, 0.5)},
            {"work lost", LOST},
            {"pausing", PAUSING}
        };
        for (Object[] entry : entries) {
            canvas.rect(x, y, 22, 12, LineStyle.solid(PlotColor.FAINT, 0.5), (FillStyle) entry[1]);
            canvas.text(x + 28, y + 10, Anchor.START, TextStyle.LABEL, (String) entry[0]);
            x += 50 + ((String) entry[0]).length() * 6;
        }
    }
}
