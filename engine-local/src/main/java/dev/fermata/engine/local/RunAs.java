package dev.fermata.engine.local;

/** Under which account jobs run. */
public enum RunAs {
    /** Under the submitting user's account, where the daemon may do that; never as root for another user. */
    AUTO,
    /** Under the daemon's own account, for every user. */
    DAEMON
}
