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

    /** These bytes and no more. */
    static StreamSource of(byte[] whole) {
        return new StreamSource() {
            private boolean given;

            @Override
            public byte @Nullable [] next() {
                byte[] next = given ? null : whole;
                given = true;
                return next;
            }

            @Override
            public byte[] heartbeat() {
                return new byte[0];
            }

            @Override
            public void close() {}
        };
    }
}
