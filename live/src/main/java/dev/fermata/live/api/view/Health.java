package dev.fermata.live.api.view;

/** Whether all is well, and if not, what is wrong in a sentence. */
public record Health(boolean ok, String message) {}
