package dev.fermata.insight.format;

import java.util.List;

/** A table of one setting: policies (or values) down, measures across. Cells are text as people read it. */
public record ResultTable(String title, List<String> columns, List<List<String>> rows) {
    public ResultTable {
        columns = List.copyOf(columns);
        rows = rows.stream().map(List::copyOf).toList();
        for (List<String> row : rows) {
            if (row.size() != columns.size()) {
                throw new IllegalArgumentException(
                        "a row of '" + title + "' has " + row.size() + " cells, not " + columns.size());
            }
        }
    }
}
