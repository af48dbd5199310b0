package dev.fermata.live.store;

/** A token by its hash. {@code revokedMillis} is -1 while it is valid; {@code expiresMillis} is -1 for never. */
public record TokenRow(
        String id,
        String sha256,
        String user,
        String role,
        String label,
        long createdMillis,
        long expiresMillis,
        long revokedMillis) {}
