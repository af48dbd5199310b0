package dev.fermata.report.html;

import dev.fermata.insight.format.ResultTable;
import java.util.List;
import java.util.OptionalDouble;

/** A sheet as an HTML table. Columns of numbers have bars for comparison by eye. */
public final class HtmlTable {
    private final ResultTable sheet;
    private final String own;
    private final boolean bars;

    /** @param own the policy whose rows are set off */
    public HtmlTable(ResultTable sheet, String own) {
        this(sheet, own, true);
    }

    /** @param bars whether the rows are comparable by eye */
    public HtmlTable(ResultTable sheet, String own, boolean bars) {
        this.sheet = sheet;
        this.own = own;
        this.bars = bars;
    }

    public void write(HtmlWriter html) {
        double[] max = new double[sheet.columns().size()];
        for (int c = 0; c < max.length; c++) {
            max[c] = maxOf(c);
        }
        html.open("figure").leaf("figcaption", sheet.title());
        html.open("div", "class", "scroll").open("table", "class", "sheet", "aria-label", sheet.title());
        html.open("thead").open("tr");
        for (int c = 0; c < max.length; c++) {
            html.leaf("th", sheet.columns().get(c), "scope", "col", "class", max[c] >= 0 ? "number" : "");
        }
        html.close().close().open("tbody");
        sheet.rows().forEach(row -> row(html, row, max));
        html.close().close().close().close();
    }

    private void row(HtmlWriter html, List<String> row, double[] max) {
        html.open("tr", "class", row.get(0).equals(own) || row.get(0).startsWith(own + ":") ? "own" : "");
        for (int c = 0; c < row.size(); c++) {
            if (c == 0) {
                html.leaf("th", row.get(c), "scope", "row", "class", max[c] >= 0 ? "number" : "");
            } else if (max[c] > 0) {
                OptionalDouble value = CellNumber.parse(row.get(c));
                html.open("td", "class", "number");
                figure(html, row.get(c));
                html.open("span", "class", "bar");
                html.empty("i", "style", "width:" + SvgWriter.number(100 * value.orElse(0) / max[c]) + "%");
                html.close().close();
            } else {
                html.open("td", "class", max[c] == 0 ? "number" : "");
                figure(html, row.get(c));
                html.close();
            }
        }
        html.close();
    }

    /** What follows a ± stands below its figure: side by side they would make the table wider than the page. */
    private static void figure(HtmlWriter html, String cell) {
        int spread = cell.indexOf(" ±");
        html.text(spread < 0 ? cell : cell.substring(0, spread));
        if (spread >= 0) {
            html.leaf("span", cell.substring(spread), "class", "plusminus");
        }
    }

    /** The largest number where bars make sense, 0 where they do not (negative or alike), -1 where there are words. */
    private double maxOf(int column) {
        if (!CellNumber.isNumeric(sheet, column)) {
            return -1;
        }
        double[] values = sheet.rows().stream()
                .map(row -> CellNumber.parse(row.get(column)))
                .filter(OptionalDouble::isPresent)
                .mapToDouble(OptionalDouble::getAsDouble)
                .sorted()
                .toArray();
        boolean comparable =
                bars && column > 0 && values.length > 1 && values[0] >= 0 && values[0] < values[values.length - 1];
        return comparable ? values[values.length - 1] : 0;
    }
}
