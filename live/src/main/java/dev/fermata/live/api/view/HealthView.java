package dev.fermata.live.api.view;

/** Whether the daemon is healthy; if not, the problem in one sentence. */
public record HealthView(boolean ok, String message) {}
