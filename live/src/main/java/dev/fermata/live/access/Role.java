package dev.fermata.live.access;

/** What a token allows; each role may do all that the ones before it may. */
public enum Role {
    /** Sees jobs, nodes and queues; not logs, commands or environments of others. */
    VIEWER,
    /** Submits, and changes and reads the logs of own jobs. */
    USER,
    /** Changes every job, drains nodes, sets queues, reads the audit trail. */
    OPERATOR,
    /** Makes and revokes tokens. */
    ADMIN;

    public boolean covers(Role needed) {
        return compareTo(needed) >= 0;
    }
}
