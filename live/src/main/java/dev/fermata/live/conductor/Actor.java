package dev.fermata.live.conductor;

/** Who asks, as the door knows them. {@code from} is the address they came from. */
public record Actor(String user, String role, String from) {}
