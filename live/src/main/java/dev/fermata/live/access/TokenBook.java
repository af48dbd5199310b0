package dev.fermata.live.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.live.store.Store;
import dev.fermata.live.store.TokenRow;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/**
 * Makes, knows and revokes tokens. A token is 256 random bits; only its SHA-256 is kept. What was found good is remembered for a moment, so
 * that a busy client does not cost a query for each request; a revocation here counts at once.
 */
public final class TokenBook {
    public static final String PREFIX = "fm_";
    /** The label of the token with which clients of the daemon's own user find it. */
    public static final String LOCAL_CLIENT = "local client";

    private static final Pattern SHAPE = Pattern.compile("fm_[A-Za-z0-9_-]{43}");
    private static final long REMEMBERED_MILLIS = 2_000;
    private static final int MOST_REMEMBERED = 10_000;
    private static final int TOKEN_BYTES = 32;
    private static final int ID_BYTES = 6;

    /** A token that was just made: the only time it is known whole. */
    public record Issued(String token, TokenRow row) {}

    private record Known(TokenRow row, long untilMillis) {}

    private final Store.Tokens store;
    private final LongSupplier nowMillis;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Known> known = new ConcurrentHashMap<>();

    public TokenBook(Store.Tokens store, LongSupplier nowMillis) {
        this.store = store;
        this.nowMillis = nowMillis;
    }

    /** @param expiresMillis -1 for never */
    public Issued issue(String user, Role role, String label, long expiresMillis) {
        String token = PREFIX + random(TOKEN_BYTES);
        // An id begins with a letter, so that no shell takes it for an option.
        String id = "t" + random(ID_BYTES).replace('-', 'x').replace('_', 'y');
        TokenRow row =
                new TokenRow(id, sha256(token), user, role.name(), label, nowMillis.getAsLong(), expiresMillis, -1);
        store.add(row);
        return new Issued(token, row);
    }

    /** The token of a data folder that has none yet, for its first administrator; empty ever after. */
    public Optional<Issued> firstAdmin(String user) {
        return store.all().isEmpty() ? Optional.of(issue(user, Role.ADMIN, "first admin", -1)) : Optional.empty();
    }

    /** A new token for clients of the daemon's own user on this machine; earlier ones are good no longer. */
    public Issued localClient(String user) {
        store.all().stream()
                .filter(row -> row.label().equals(LOCAL_CLIENT) && row.revokedMillis() < 0)
                .forEach(row -> revoke(row.id()));
        return issue(user, Role.ADMIN, LOCAL_CLIENT, -1);
    }

    /** Whose token this is, if it is good now. */
    public Optional<TokenRow> check(String token) {
        if (!SHAPE.matcher(token).matches()) {
            return Optional.empty();
        }
        long now = nowMillis.getAsLong();
        String hash = sha256(token);
        Known seen = known.get(hash);
        if (seen == null || now >= seen.untilMillis || now < seen.untilMillis - REMEMBERED_MILLIS) {
            Optional<TokenRow> row = store.byHash(hash);
            if (row.isEmpty()
                    || !MessageDigest.isEqual(bytes(hash), bytes(row.get().sha256()))) {
                return Optional.empty();
            }
            seen = new Known(row.get(), now + REMEMBERED_MILLIS);
            if (known.size() >= MOST_REMEMBERED) {
                known.clear();
            }
            known.put(hash, seen);
        }
        TokenRow row = seen.row;
        boolean good = row.revokedMillis() < 0 && (row.expiresMillis() < 0 || now < row.expiresMillis());
        return good ? Optional.of(row) : Optional.empty();
    }

    /** Whether there was such a token that was still good. */
    public boolean revoke(String id) {
        boolean revoked = store.revoke(id, nowMillis.getAsLong());
        known.values().removeIf(seen -> seen.row.id().equals(id));
        return revoked;
    }

    public static String sha256(String token) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes(token)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private String random(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
