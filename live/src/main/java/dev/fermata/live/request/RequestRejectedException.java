package dev.fermata.live.request;

/** A rejected request; the message gives the reason. */
public final class RequestRejectedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Categories that clients can distinguish. */
    public enum Category {
        /** Malformed, or can never be placed on this cluster. */
        INVALID,
        NOT_FOUND,
        /** Not possible in the current state: the job has ended, or the key was used for other jobs. */
        CONFLICT,
        /** Too many requests or jobs; a later retry may succeed. */
        BUSY,
        /** The store cannot be written, or this daemon does not lead. */
        UNAVAILABLE
    }

    private final Category category;

    public RequestRejectedException(Category category, String message) {
        super(message);
        this.category = category;
    }

    public Category category() {
        return category;
    }
}
