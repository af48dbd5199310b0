package dev.fermata.live.api.view;

import java.time.Instant;

/** Who asked for a change, and what came of it. */
public record AuditView(
        long seq, Instant at, String user, String role, String from, String action, String target, String result) {}
