package dev.fermata.live.store;

/** A requested change, its caller and its result. The store assigns {@code seq}. */
public record AuditRow(
        long seq, long atMillis, String user, String role, String from, String action, String target, String result) {}
