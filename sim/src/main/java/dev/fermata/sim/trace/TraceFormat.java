package dev.fermata.sim.trace;

import java.io.IOException;

/** A way in which somebody writes traces: how to know it when one sees it, and how to read it record by record. */
public interface TraceFormat {
    /** As users write it after {@code --format}. */
    String name();

    /** Whose traces these are. */
    String title();

    /** Whether a file that begins so is one of these; no other format may say so of the same file. */
    boolean recognises(Head head);

    /** Whether it has dates; then the first submission is time zero. Otherwise the trace's own zero stays. */
    default boolean dated() {
        return false;
    }

    /**
     * Whether the order of rows says who came first among jobs submitted at the same time. Where it does not, the smaller
     * go first, then the shorter, so that the order of rows does not matter.
     */
    default boolean inOrder() {
        return true;
    }

    /**
     * Hands over every record of the file in its order. A record that cannot be read goes to {@link Intake#malformed}; a
     * file that cannot be read ends it.
     */
    void read(TraceFile file, Intake intake) throws IOException;
}
