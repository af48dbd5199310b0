package dev.fermata.live.api;

import dev.fermata.live.access.Role;
import dev.fermata.live.request.Actor;
import org.jspecify.annotations.Nullable;

/**
 * The authenticated caller; {@code role} is null without a token, which permits only public routes.
 *
 * @param session whether it is a session of the web page, which may not make tokens or further sessions
 */
record Caller(String user, @Nullable Role role, String tokenId, String remoteAddress, boolean session) {
    Caller(String user, @Nullable Role role, String tokenId, String remoteAddress) {
        this(user, role, tokenId, remoteAddress, false);
    }

    static Caller anonymous(String from) {
        return new Caller("", null, "", from);
    }

    /** The caller as limits know it. */
    String key() {
        return user.isEmpty() ? remoteAddress : user;
    }

    /** The caller as the audit log names it: by the id of its token too. */
    Actor actor() {
        return new Actor(
                user,
                role == null ? "" : role.name(),
                tokenId.isEmpty() ? remoteAddress : remoteAddress + " token " + tokenId);
    }
}
