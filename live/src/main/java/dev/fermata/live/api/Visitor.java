package dev.fermata.live.api;

import dev.fermata.live.access.Role;
import dev.fermata.live.conductor.Actor;
import org.jspecify.annotations.Nullable;

/** Who stands at the door; {@code role} is null for somebody without a token, who may ask only what everybody may. */
record Visitor(String user, @Nullable Role role, String tokenId, String from) {
    static Visitor unknown(String from) {
        return new Visitor("", null, "", from);
    }

    Actor actor() {
        return new Actor(user, role == null ? "" : role.name(), from);
    }
}
