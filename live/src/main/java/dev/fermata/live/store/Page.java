package dev.fermata.live.store;

import java.util.List;

/** Some rows, and whether there are more behind the last of them. */
public record Page<T>(List<T> rows, boolean more) {
    /** More than this is never read at once. */
    public static final int MOST = 5000;

    public Page {
        rows = List.copyOf(rows);
    }
}
