package dev.fermata.report.text;

import dev.fermata.insight.format.HumanFormat;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A horizontal histogram: for each row the count, the share and a bar. */
public final class TextBars {
    private static final int WIDEST = 40;
    private static final int NARROWEST = 5;
    private static final int LONGEST_LABEL = 30;
    private static final String EIGHTHS = "▏▎▍▌▋▊▉█";
    private static final String HEIGHTS = "▁▂▃▄▅▆▇█";

    private record Bar(String label, long count, String extra) {}

    private final String rowTitle;
    private final String countTitle;
    private final List<Bar> bars = new ArrayList<>();
    private String extraTitle = "";
    private int maxLines = Integer.MAX_VALUE;

    public TextBars(String what, String counted) {
        this.rowTitle = what;
        this.countTitle = counted;
    }

    /** With one more column, of this title. */
    public TextBars extraColumn(String title) {
        extraTitle = title;
        return this;
    }

    public void add(String label, long count, String extra) {
        boolean cut = label.codePointCount(0, label.length()) > LONGEST_LABEL;
        String shown = cut ? label.substring(0, label.offsetByCodePoints(0, LONGEST_LABEL - 1)) + "…" : label;
        bars.add(new Bar(shown, count, extra));
    }

    /** Only this many of them; a line says how many more there are. */
    public TextBars limitTo(int lines) {
        maxLines = lines;
        return this;
    }

    public List<String> render(Screen screen) {
        long all = Math.max(1, bars.stream().mapToLong(Bar::count).sum());
        long longest = Math.max(1, bars.stream().mapToLong(Bar::count).max().orElse(1));
        List<Bar> shown = bars.size() > maxLines ? bars.subList(0, maxLines - 1) : bars;
        TextTable table = new TextTable()
                .textColumn(rowTitle)
                .numberColumn(countTitle, TextTable.ALWAYS)
                .numberColumn("", 2);
        if (!extraTitle.isEmpty()) {
            table.numberColumn(extraTitle, 1);
        }
        table.textColumn("", 3);
        int room = screen.columns() - widthBeforeBars(shown);
        int width = Math.max(NARROWEST, Math.min(WIDEST, room));
        for (Bar bar : shown) {
            row(table, bar.label, bar.count, all, bar.extra, bar((double) bar.count / longest, width));
        }
        if (shown.size() < bars.size()) {
            List<Bar> rest = bars.subList(shown.size(), bars.size());
            long count = rest.stream().mapToLong(Bar::count).sum();
            row(table, HumanFormat.count(rest.size()) + " more", count, all, "", "");
        }
        return table.render(screen);
    }

    private void row(TextTable table, String label, long count, long all, String extra, String bar) {
        List<String> cells =
                new ArrayList<>(List.of(label, HumanFormat.count(count), HumanFormat.percent((double) count / all)));
        if (!extraTitle.isEmpty()) {
            cells.add(extra);
        }
        cells.add(bar);
        table.row(cells.toArray(String[]::new));
    }

    /** Label, count, share, further cells, and the gaps between. */
    private int widthBeforeBars(List<Bar> shown) {
        int label = shown.stream().mapToInt(b -> b.label.length()).max().orElse(0);
        int count = shown.stream()
                .mapToInt(b -> HumanFormat.count(b.count).length())
                .max()
                .orElse(0);
        int extra = extraTitle.isEmpty() ? 0 : Math.max(extraTitle.length(), 5) + 2;
        return Math.max(rowTitle.length(), label) + Math.max(countTitle.length(), count) + extra + 5 + 6;
    }

    /** As long as its share of the width, to an eighth; never empty for a count above 0. */
    private static String bar(double share, int width) {
        int eighths = (int) Math.round(share * width * EIGHTHS.length());
        int parts = share > 0 ? Math.max(1, eighths) : 0;
        int rest = parts % EIGHTHS.length();
        return "█".repeat(parts / EIGHTHS.length()) + (rest == 0 ? "" : EIGHTHS.charAt(rest - 1));
    }

    /** Counts as heights on one line. */
    public static String sparkline(long[] counts) {
        long highest = Math.max(1, Arrays.stream(counts).max().orElse(1));
        StringBuilder line = new StringBuilder();
        for (long count : counts) {
            line.append(HEIGHTS.charAt((int) (count * (HEIGHTS.length() - 1) / highest)));
        }
        return line.toString();
    }
}
