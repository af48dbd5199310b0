package dev.fermata.live.api.view;

import java.time.Instant;

/** A requested change, its caller and its result. */
public record AuditView(
        long seq, Instant at, String user, String role, String from, String action, String target, String result) {}
