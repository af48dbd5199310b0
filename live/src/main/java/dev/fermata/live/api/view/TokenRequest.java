package dev.fermata.live.api.view;

import dev.fermata.live.access.Role;
import org.jspecify.annotations.Nullable;

/** A token to issue: its user, its role (the least when absent), its lifetime (unlimited when absent). */
public record TokenRequest(
        String user,
        @Nullable Role role,
        @Nullable String label,
        @Nullable String expires) {}
