package dev.fermata.app.output;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A histogram lying on its side, one line for each thing counted: how many, which share of all, and a bar. */
public final class Bars {
    private static final int WIDEST = 40;
    private static final int NARROWEST = 5;
    private static final int LONGEST_LABEL = 30;
    private static final String EIGHTHS = "▏▎▍▌▋▊▉█";
    private static final String HEIGHTS = "▁▂▃▄▅▆▇█";

    private record Bar(String label, long count, String beside) {}

    private final String what;
    private final String counted;
    private final List<Bar> bars = new ArrayList<>();
    private String besideTitle = "";
    private int most = Integer.MAX_VALUE;

    public Bars(String what, String counted) {
        this.what = what;
        this.counted = counted;
    }

    /** With one more column, of this title. */
    public Bars beside(String title) {
        besideTitle = title;
        return this;
    }

    public void add(String label, long count, String beside) {
        boolean cut = label.codePointCount(0, label.length()) > LONGEST_LABEL;
        String shown = cut ? label.substring(0, label.offsetByCodePoints(0, LONGEST_LABEL - 1)) + "…" : label;
        bars.add(new Bar(shown, count, beside));
    }

    /** Only so many of them; a line says how many more there are. */
    public Bars most(int lines) {
        most = lines;
        return this;
    }

    public List<String> render(Screen screen) {
        long all = Math.max(1, bars.stream().mapToLong(Bar::count).sum());
        long longest = Math.max(1, bars.stream().mapToLong(Bar::count).max().orElse(1));
        List<Bar> shown = bars.size() > most ? bars.subList(0, most - 1) : bars;
        Table table = new Table().words(what).numbers(counted, Table.ALWAYS).numbers("", 2);
        if (!besideTitle.isEmpty()) {
            table.numbers(besideTitle, 1);
        }
        table.words("", 3);
        int room = screen.columns() - widthBeforeBars(shown);
        int width = Math.max(NARROWEST, Math.min(WIDEST, room));
        for (Bar bar : shown) {
            row(table, bar.label, bar.count, all, bar.beside, bar((double) bar.count / longest, width));
        }
        if (shown.size() < bars.size()) {
            List<Bar> rest = bars.subList(shown.size(), bars.size());
            long count = rest.stream().mapToLong(Bar::count).sum();
            row(table, Humane.count(rest.size()) + " more", count, all, "", "");
        }
        return table.render(screen);
    }

    private void row(Table table, String label, long count, long all, String beside, String bar) {
        List<String> cells = new ArrayList<>(List.of(label, Humane.count(count), Humane.percent((double) count / all)));
        if (!besideTitle.isEmpty()) {
            cells.add(beside);
        }
        cells.add(bar);
        table.row(cells.toArray(String[]::new));
    }

    /** Label, count, share, what is beside, and the gaps between. */
    private int widthBeforeBars(List<Bar> shown) {
        int label = shown.stream().mapToInt(b -> b.label.length()).max().orElse(0);
        int count = shown.stream()
                .mapToInt(b -> Humane.count(b.count).length())
                .max()
                .orElse(0);
        int beside = besideTitle.isEmpty() ? 0 : Math.max(besideTitle.length(), 5) + 2;
        return Math.max(what.length(), label) + Math.max(counted.length(), count) + beside + 5 + 6;
    }

    /** As long as its share of the width, to an eighth; what is there at all can be seen. */
    private static String bar(double share, int width) {
        int eighths = (int) Math.round(share * width * EIGHTHS.length());
        int parts = share > 0 ? Math.max(1, eighths) : 0;
        int rest = parts % EIGHTHS.length();
        return "█".repeat(parts / EIGHTHS.length()) + (rest == 0 ? "" : EIGHTHS.charAt(rest - 1));
    }

    /** Counts as heights on one line. */
    public static String line(long[] counts) {
        long highest = Math.max(1, Arrays.stream(counts).max().orElse(1));
        StringBuilder line = new StringBuilder();
        for (long count : counts) {
            line.append(HEIGHTS.charAt((int) (count * (HEIGHTS.length() - 1) / highest)));
        }
        return line.toString();
    }
}
