package dev.fermata.live.api;

import java.io.Closeable;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Something that is sent as it comes. It is asked for more when the client has taken what was sent, so that a slow client costs
 * neither memory nor a thread, and what it has not taken is still where it came from.
 */
interface Feed extends Closeable {
    /** What to send next: nothing yet when empty, nothing any more when null. */
    byte @Nullable [] next() throws IOException;

    /** Sent after a while of silence; empty for nothing. */
    byte[] heartbeat();
}
