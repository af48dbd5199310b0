package dev.fermata.report.text;

import java.util.ArrayList;
import java.util.List;

/**
 * Columns without lines between them. On a narrow screen the least important columns are left out first, then texts are
 * wrapped; nothing is ever cut off.
 */
public final class TextTable {
    private static final String GAP = "  ";
    private static final int NARROWEST_TEXT = 16;
    private static final int WIDEST_REMARK = 110;

    /** @param importance columns of the lowest importance go first when room is short; {@link #ALWAYS} never goes */
    private record Column(List<String> header, boolean number, int importance) {}

    /** One cell; the best of its column is marked. */
    public record Cell(String text, boolean best) {
        /** Names come from files and from other users: none of them moves the cursor. */
        public Cell {
            text = TerminalText.escape(text);
        }

        public static Cell of(String text) {
            return new Cell(text, false);
        }
    }

    /** Cells, or a remark across all columns, or nothing. */
    private record Row(List<Cell> cells, String note) {
        boolean isEmpty() {
            return cells.isEmpty();
        }
    }

    public static final int ALWAYS = 100;

    private final List<Column> columns = new ArrayList<>();
    private final List<Row> rows = new ArrayList<>();
    private int hidden;

    /** A column of words; a header may have several lines. */
    public TextTable textColumn(String header) {
        columns.add(new Column(header.lines().toList(), false, ALWAYS));
        return this;
    }

    /** A column of words that may be left out. */
    public TextTable textColumn(String header, int importance) {
        columns.add(new Column(header.lines().toList(), false, importance));
        return this;
    }

    /** A column of numbers, flush right. */
    public TextTable numberColumn(String header, int importance) {
        columns.add(new Column(header.lines().toList(), true, importance));
        return this;
    }

    public void row(List<Cell> cells) {
        rows.add(new Row(List.copyOf(cells), ""));
    }

    public void row(String... cells) {
        row(List.of(cells).stream().map(Cell::of).toList());
    }

    /** An empty line. */
    public void blankRow() {
        rows.add(new Row(List.of(), ""));
    }

    /** Words about the row above: on lines of their own, across all columns. */
    public void note(String text) {
        rows.add(new Row(List.of(), text));
    }

    /** Columns that the last rendering left out. */
    public int hidden() {
        return hidden;
    }

    public List<String> render(Screen screen) {
        List<Integer> shown = new ArrayList<>();
        for (int c = 0; c < columns.size(); c++) {
            shown.add(c);
        }
        int[] widths = new int[columns.size()];
        for (int c = 0; c < widths.length; c++) {
            widths[c] = naturalWidth(c);
        }
        while (total(shown, widths) > screen.columns() && dropOne(shown)) {}
        hidden = columns.size() - shown.size();
        while (total(shown, widths) > screen.columns() && narrowOne(shown, widths)) {}
        List<String> lines = new ArrayList<>();
        header(shown, widths).forEach(line -> lines.add(screen.bold(line)));
        for (Row row : rows) {
            lines.addAll(row.isEmpty() ? note(row.note(), screen) : row(row.cells(), shown, widths, screen));
        }
        return lines;
    }

    private static List<String> note(String text, Screen screen) {
        if (text.isEmpty()) {
            return List.of("");
        }
        return WordWrap.wrap(text, Math.min(WIDEST_REMARK, screen.columns()) - GAP.length()).stream()
                .map(line -> screen.dim(GAP + line))
                .toList();
    }

    /** Where some cell of a column carries a mark, the others keep its place free, so that digits stand below digits. */
    private String cellText(List<Cell> row, int c) {
        boolean marked =
                rows.stream().anyMatch(r -> !r.isEmpty() && r.cells().get(c).best());
        return row.get(c).text() + (row.get(c).best() ? "•" : marked ? " " : "");
    }

    private int naturalWidth(int c) {
        int width =
                columns.get(c).header().stream().mapToInt(String::length).max().orElse(0);
        for (Row row : rows) {
            width = Math.max(width, row.isEmpty() ? 0 : cellText(row.cells(), c).length());
        }
        return width;
    }

    private static int total(List<Integer> shown, int[] widths) {
        return shown.stream().mapToInt(c -> widths[c] + GAP.length()).sum() - GAP.length();
    }

    private boolean dropOne(List<Integer> shown) {
        Integer least = null;
        for (Integer c : shown) {
            if (columns.get(c).importance() < ALWAYS
                    && (least == null
                            || columns.get(c).importance() <= columns.get(least).importance())) {
                least = c;
            }
        }
        return least != null && shown.remove(least);
    }

    private boolean narrowOne(List<Integer> shown, int[] widths) {
        int widest = -1;
        for (int c : shown) {
            if (!columns.get(c).number() && (widest < 0 || widths[c] > widths[widest])) {
                widest = c;
            }
        }
        if (widest < 0 || widths[widest] <= NARROWEST_TEXT) {
            return false;
        }
        widths[widest]--;
        return true;
    }

    private List<String> header(List<Integer> shown, int[] widths) {
        int height = shown.stream()
                .mapToInt(c -> columns.get(c).header().size())
                .max()
                .orElse(0);
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < height; i++) {
            List<String> cells = new ArrayList<>();
            for (int c : shown) {
                List<String> header = columns.get(c).header();
                int from = height - header.size(); // headers stand on the bottom line
                cells.add(padded(
                        i < from ? "" : header.get(i - from),
                        widths[c],
                        columns.get(c).number()));
            }
            lines.add(String.join(GAP, cells).stripTrailing());
        }
        return lines;
    }

    private List<String> row(List<Cell> row, List<Integer> shown, int[] widths, Screen screen) {
        List<List<String>> wrapped = new ArrayList<>();
        int height = 1;
        for (int c : shown) {
            List<String> parts = WordWrap.wrap(cellText(row, c), widths[c]);
            wrapped.add(parts);
            height = Math.max(height, parts.size());
        }
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < height; i++) {
            StringBuilder line = new StringBuilder();
            for (int k = 0; k < shown.size(); k++) {
                int c = shown.get(k);
                String part = i < wrapped.get(k).size() ? wrapped.get(k).get(i) : "";
                String cell = padded(part, widths[c], columns.get(c).number());
                line.append(k == 0 ? "" : GAP).append(row.get(c).best() ? screen.highlight(cell) : cell);
            }
            lines.add(line.toString().stripTrailing());
        }
        return lines;
    }

    private static String padded(String text, int width, boolean right) {
        String room = " ".repeat(Math.max(0, width - text.length()));
        return right ? room + text : text + room;
    }
}
