package dev.fermata.live.api.view;

import dev.fermata.live.access.Role;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A token without its text; {@code expires} is absent for never, {@code revoked} while it is valid. */
public record TokenView(
        String id,
        String user,
        Role role,
        String label,
        Instant created,
        @Nullable Instant expires,
        @Nullable Instant revoked) {}
