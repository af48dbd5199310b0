package dev.fermata.live.request;

/** The authenticated sender of a request; {@code address} is its network address. */
public record Actor(String user, String role, String address) {}
