package dev.fermata.sim.trace;

import java.io.IOException;

/** A trace format: how to recognise it, and how to read it record by record. */
public interface TraceFormat {
    /** As users write it after {@code --format}. */
    String name();

    /** The origin of these traces. */
    String title();

    /** Whether a file that begins so has this format; no other format may claim the same file. */
    boolean matches(FileHead head);

    /** Whether it has dates; then the first submission is time zero. Otherwise the trace's own zero stays. */
    default boolean hasDates() {
        return false;
    }

    /**
     * Whether the order of rows is the order of arrival among jobs submitted at the same time. Where it is not, smaller
     * jobs go first, then shorter ones, so that the order of rows does not matter.
     */
    default boolean isChronological() {
        return true;
    }

    /**
     * Hands over every record of the file in its order. A record that cannot be read goes to {@link TraceCollector#malformed}; a
     * file that cannot be read ends it.
     */
    void read(TraceFile file, TraceCollector collector) throws IOException;
}
