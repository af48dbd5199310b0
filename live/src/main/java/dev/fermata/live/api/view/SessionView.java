package dev.fermata.live.api.view;

import dev.fermata.live.access.Role;

/**
 * A new session.
 *
 * @param key the half of the session that the page keeps and sends as {@code Fermata-Key}; the other half is a cookie
 */
public record SessionView(String key, String user, Role role) {
    /** Never the key. */
    @Override
    public String toString() {
        return "SessionView[" + user + "]";
    }
}
