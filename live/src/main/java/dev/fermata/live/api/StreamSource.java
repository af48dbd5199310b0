package dev.fermata.live.api;

import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The content of a stream. It is polled when the client has taken the bytes before, so that a slow client costs neither memory
 * nor a thread.
 */
interface StreamSource extends Closeable {
    /** The next bytes: empty for none yet, null at the end. */
    byte @Nullable [] next() throws IOException;

    /** Sent when the stream is idle; empty for none. */
    byte[] heartbeat();
}
