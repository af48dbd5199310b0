package dev.fermata.live.store;

/** A token without the token. {@code revokedMillis} is -1 while it is good; {@code expiresMillis} is -1 for never. */
public record TokenRow(
        String id,
        String sha256,
        String user,
        String role,
        String label,
        long createdMillis,
        long expiresMillis,
        long revokedMillis) {}
