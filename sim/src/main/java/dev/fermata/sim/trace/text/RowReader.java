package dev.fermata.sim.trace.text;

/** Takes one row of a table; throws a {@link dev.fermata.sim.trace.TraceException} where it cannot be read. */
@FunctionalInterface
public interface RowReader {
    void read(TraceRow row);
}
