package dev.fermata.live.api.view;

import dev.fermata.live.access.Role;

/** The user and role of a token. */
public record IdentityView(String user, Role role, String tokenId) {}
