package dev.fermata.live.access;

/** What a token permits; each role includes the earlier ones. */
public enum Role {
    /** Sees jobs, nodes and queues; not logs, commands or environments of other users. */
    VIEWER,
    /** Submits jobs, changes its own jobs and reads their logs. */
    USER,
    /** Changes every job, drains nodes, sets queues, reads the audit log. */
    OPERATOR,
    /** Issues and revokes tokens. */
    ADMIN;

    public boolean includes(Role needed) {
        return compareTo(needed) >= 0;
    }
}
