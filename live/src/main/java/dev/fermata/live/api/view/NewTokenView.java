package dev.fermata.live.api.view;

import dev.fermata.live.access.Role;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A new token, shown only once; {@code warnings} are sentences for the caller. */
public record NewTokenView(
        String id,
        String token,
        String user,
        Role role,
        String label,
        @Nullable Instant expires,
        List<String> warnings) {}
