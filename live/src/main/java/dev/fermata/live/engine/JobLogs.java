package dev.fermata.live.engine;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/** The output of attempts, wherever an engine keeps it. Called from any thread. */
public interface JobLogs {
    /** For engines that keep no output. */
    JobLogs NONE = (jobId, attempt, stream, rank) -> Optional.empty();

    /**
     * @param stream {@code stdout} or {@code stderr}
     * @return empty when there is no such output (yet)
     */
    Optional<LogOutput> open(long jobId, int attempt, String stream, int rank) throws IOException;

    /**
     * The output of one process, by offset since the process began. Offsets stay valid when the oldest part is dropped. It
     * never leads out of the attempt's folder, whatever a job has put in its place.
     */
    interface LogOutput extends Closeable {
        /** The oldest byte still kept. */
        long firstOffset() throws IOException;

        /** One past the newest byte. */
        long endOffset() throws IOException;

        /** The first byte from {@code offset} on that is still kept. Of a very long output the middle is dropped first. */
        long nextAvailable(long offset) throws IOException;

        /** The number of bytes read from {@code offset} on; 0 at the end, and where that part was dropped. */
        int read(long offset, byte[] into) throws IOException;
    }
}
