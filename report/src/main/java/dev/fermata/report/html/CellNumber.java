package dev.fermata.report.html;

import dev.fermata.insight.format.ResultTable;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads back the number in a cell that was written for people: {@code 1h05m}, {@code 12 %}, {@code 1,234}, {@code 1.6×}. */
public final class CellNumber {
    private static final Pattern TIME =
            Pattern.compile("([0-9][0-9,]*)d(?:([0-9]+)h)?|([0-9]+)h(?:([0-9]+)m)?|([0-9]+)m(?:([0-9]+)s)?");
    private static final Pattern PLAIN =
            Pattern.compile("([0-9][0-9,]*(?:\\.[0-9]+)?)\\s*(ms|µs|us|s|[%×x]|[kMG]?iB)?");
    private static final Map<String, Double> UNIT = Map.of("ms", 1e-3, "µs", 1e-6, "us", 1e-6);
    private static final int[] TIME_UNITS = {86_400, 3600, 3600, 60, 60, 1};

    private CellNumber() {}

    /** Empty where the cell is not a number with a unit, or says nothing. An interval behind ± is left out. */
    public static OptionalDouble parse(String cell) {
        int plusMinus = cell.indexOf('±');
        String text = (plusMinus < 0 ? cell : cell.substring(0, plusMinus)).strip();
        boolean negative = text.startsWith("-") || text.startsWith("−");
        String size = negative || text.startsWith("+") ? text.substring(1).strip() : text;
        OptionalDouble value = size(size);
        return negative && value.isPresent() ? OptionalDouble.of(-value.getAsDouble()) : value;
    }

    private static OptionalDouble size(String text) {
        Matcher time = TIME.matcher(text);
        if (time.matches()) {
            double seconds = 0;
            for (int g = 1; g <= TIME_UNITS.length; g++) {
                seconds += time.group(g) == null ? 0 : number(time.group(g)) * TIME_UNITS[g - 1];
            }
            return OptionalDouble.of(seconds);
        }
        Matcher plain = PLAIN.matcher(text);
        return plain.matches()
                ? OptionalDouble.of(number(plain.group(1)) * UNIT.getOrDefault(String.valueOf(plain.group(2)), 1.0))
                : OptionalDouble.empty();
    }

    private static double number(String digits) {
        return Double.parseDouble(digits.replace(",", ""));
    }

    /** Whether a column holds numbers and nothing else; empty cells and dashes do not count. */
    public static boolean isNumeric(ResultTable sheet, int column) {
        boolean any = false;
        for (var row : sheet.rows()) {
            String cell = row.get(column);
            if (isBlank(cell)) {
                continue;
            }
            if (parse(cell).isEmpty()) {
                return false;
            }
            any = true;
        }
        return any;
    }

    private static boolean isBlank(String cell) {
        return cell.isBlank() || cell.strip().matches("[-–—]|n/a");
    }
}
