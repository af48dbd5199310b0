package dev.fermata.live.store;

import org.jspecify.annotations.Nullable;

/** The store could not do it: a full disk, a lost connection, another daemon on the same data. */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final boolean passing;

    /** @param passing whether trying again later may help */
    public StoreException(String message, boolean passing, @Nullable Throwable cause) {
        super(message, cause);
        this.passing = passing;
    }

    public StoreException(String message, boolean passing) {
        this(message, passing, null);
    }

    public boolean passing() {
        return passing;
    }
}
