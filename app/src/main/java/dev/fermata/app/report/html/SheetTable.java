package dev.fermata.app.report.html;

import dev.fermata.app.report.CellNumber;
import dev.fermata.sim.reproduce.Sheet;
import java.util.List;
import java.util.OptionalDouble;

/** A sheet as a table. Columns of numbers carry bars, so that the eye can compare before it reads. */
final class SheetTable {
    private final Sheet sheet;
    private final String own;
    private final boolean bars;

    /** @param own the policy whose rows are set off */
    SheetTable(Sheet sheet, String own) {
        this(sheet, own, true);
    }

    /** @param bars whether the rows tell of the same thing and can be compared by eye */
    SheetTable(Sheet sheet, String own, boolean bars) {
        this.sheet = sheet;
        this.own = own;
        this.bars = bars;
    }

    void write(Html html) {
        double[] most = new double[sheet.columns().size()];
        for (int c = 0; c < most.length; c++) {
            most[c] = mostOf(c);
        }
        html.open("figure").leaf("figcaption", sheet.title());
        html.open("div", "class", "scroll").open("table", "class", "sheet", "aria-label", sheet.title());
        html.open("thead").open("tr");
        for (int c = 0; c < most.length; c++) {
            html.leaf("th", sheet.columns().get(c), "scope", "col", "class", most[c] >= 0 ? "number" : "");
        }
        html.close().close().open("tbody");
        sheet.rows().forEach(row -> row(html, row, most));
        html.close().close().close().close();
    }

    private void row(Html html, List<String> row, double[] most) {
        html.open("tr", "class", row.get(0).equals(own) || row.get(0).startsWith(own + ":") ? "own" : "");
        for (int c = 0; c < row.size(); c++) {
            if (c == 0) {
                html.leaf("th", row.get(c), "scope", "row", "class", most[c] >= 0 ? "number" : "");
            } else if (most[c] > 0) {
                OptionalDouble value = CellNumber.parse(row.get(c));
                html.open("td", "class", "number");
                figure(html, row.get(c));
                html.open("span", "class", "bar");
                html.empty("i", "style", "width:" + Svg.number(100 * value.orElse(0) / most[c]) + "%");
                html.close().close();
            } else {
                html.open("td", "class", most[c] == 0 ? "number" : "");
                figure(html, row.get(c));
                html.close();
            }
        }
        html.close();
    }

    /** What follows a ± stands below its figure: side by side they would make the table wider than the page. */
    private static void figure(Html html, String cell) {
        int spread = cell.indexOf(" ±");
        html.text(spread < 0 ? cell : cell.substring(0, spread));
        if (spread >= 0) {
            html.leaf("span", cell.substring(spread), "class", "plusminus");
        }
    }

    /** The largest number where bars make sense, 0 where they do not (negative or alike), -1 where there are words. */
    private double mostOf(int column) {
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
