package dev.fermata.live.api.view;

import dev.fermata.live.access.Role;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A token, shown this once; {@code warnings} are sentences for whoever made it. */
public record NewToken(
        String id,
        String token,
        String user,
        Role role,
        String label,
        @Nullable Instant expires,
        List<String> warnings) {}
