package dev.fermata.live.engine.local;

/** As whom jobs run. */
public enum RunAs {
    /** As the account of the one who submitted, where the daemon may do that; never as root for somebody else. */
    AUTO,
    /** As the daemon's own account, whoever submitted. */
    DAEMON
}
