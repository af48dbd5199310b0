package dev.fermata.live.store;

import org.jspecify.annotations.Nullable;

/** A failure of the store: a full disk, a lost connection, another daemon on the same data. */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final boolean retryable;

    /** @param retryable whether a later retry may succeed */
    public StoreException(String message, boolean retryable, @Nullable Throwable cause) {
        super(message, cause);
        this.retryable = retryable;
    }

    public StoreException(String message, boolean retryable) {
        this(message, retryable, null);
    }

    public boolean isRetryable() {
        return retryable;
    }
}
