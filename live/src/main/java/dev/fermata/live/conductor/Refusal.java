package dev.fermata.live.conductor;

/** A request that is not granted, and why, in words for the one who asked. */
public final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** Kinds that doors tell apart. */
    public enum Kind {
        /** Wrong in itself, or can never be placed here. */
        INVALID,
        NOT_FOUND,
        /** Not in this state: cancelling a job that has ended, a key used for something else. */
        CONFLICT,
        /** Too much at once: come back later. */
        BUSY,
        /** Nothing can be made durable at the moment, or the daemon is not the leading one (yet). */
        UNAVAILABLE
    }

    private final Kind kind;

    public Refusal(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
