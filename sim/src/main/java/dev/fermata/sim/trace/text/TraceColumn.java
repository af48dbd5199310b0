package dev.fermata.sim.trace.text;

/** A column of a table, found once by its name; one that is not there has no place and is empty in every row. */
public record TraceColumn(String name, int index) {
    static final int MISSING = -1;

    public boolean exists() {
        return index != MISSING;
    }
}
