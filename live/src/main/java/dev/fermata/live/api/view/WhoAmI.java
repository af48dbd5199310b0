package dev.fermata.live.api.view;

import dev.fermata.live.access.Role;

/** Whose token this is. */
public record WhoAmI(String user, Role role, String tokenId) {}
