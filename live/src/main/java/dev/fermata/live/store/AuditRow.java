package dev.fermata.live.store;

/** Who asked for a change, and what came of it. {@code seq} is given by the store. */
public record AuditRow(
        long seq, long atMillis, String user, String role, String from, String action, String target, String result) {}
