package dev.fermata.live.engine;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/** What attempts have written, wherever an engine keeps it. Asked from any thread. */
public interface JobLogs {
    /**
     * @param stream {@code stdout} or {@code stderr}
     * @return empty when there is no such output (yet)
     */
    Optional<Output> open(long jobId, int attempt, String stream, int rank) throws IOException;

    /**
     * The output of one process, by its offset since the process began: offsets stay true when the oldest part is dropped. Never
     * leads out of the folder of the attempt, whatever a job has put in its place.
     */
    interface Output extends Closeable {
        /** The oldest byte that is still kept. */
        long begin() throws IOException;

        /** One behind the newest. */
        long end() throws IOException;

        /**
         * The first byte from {@code offset} on that is still kept: the offset itself, unless that part was dropped. Of a very long
         * output the middle goes first, the beginning stays.
         */
        long kept(long offset) throws IOException;

        /** How many bytes from {@code offset} on were read; 0 at the end, and where that part was dropped. */
        int read(long offset, byte[] into) throws IOException;
    }
}
