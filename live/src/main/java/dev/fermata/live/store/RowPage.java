package dev.fermata.live.store;

import java.util.List;

/** Some rows, and whether more follow. */
public record RowPage<T>(List<T> rows, boolean more) {
    /** The most rows read at once. */
    public static final int MAX_ROWS = 5000;

    public RowPage {
        rows = List.copyOf(rows);
    }
}
