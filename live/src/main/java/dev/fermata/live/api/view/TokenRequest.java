package dev.fermata.live.api.view;

import dev.fermata.live.access.Role;
import org.jspecify.annotations.Nullable;

/** A token to be made: for whom, with which role (the least when absent), good for how long (for ever when absent). */
public record TokenRequest(
        String user,
        @Nullable Role role,
        @Nullable String label,
        @Nullable String expires) {}
