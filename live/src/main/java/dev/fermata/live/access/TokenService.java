package dev.fermata.live.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.live.store.AuditRow;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.TokenRow;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/**
 * Issues, checks and revokes tokens. A token is 256 random bits; only its SHA-256 is stored. Valid tokens are cached briefly,
 * so that a busy client does not cost a query per request; a revocation takes effect at once.
 */
public final class TokenService {
    public static final String PREFIX = "fm_";
    /** The label of tokens that version 0.1 left in a file for clients of the daemon's own user. */
    public static final String LOCAL_CLIENT = "local client";

    /** How long a token is good when nothing else is asked for. */
    public static final long LIFETIME_MILLIS = Duration.ofDays(90).toMillis();

    private static final Pattern TOKEN_PATTERN = Pattern.compile("fm_[A-Za-z0-9_-]{43}");
    private static final long CACHE_MILLIS = 2_000;
    private static final int MAX_CACHED = 10_000;
    private static final int TOKEN_BYTES = 32;
    private static final int ID_BYTES = 6;

    /** A new token, the only time its text is known. */
    public record IssuedToken(String token, TokenRow row) {}

    /** Who changes tokens, for the audit log. */
    public record Issuer(String user, String role, String origin) {
        static final Issuer DAEMON = new Issuer("daemon", Role.ADMIN.name(), "up");
    }

    private record CachedToken(TokenRow row, long expiresMillis) {}

    private final Store.TokenStore store;
    private final LongSupplier nowMillis;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, CachedToken> cache = new ConcurrentHashMap<>();

    public TokenService(Store.TokenStore store, LongSupplier nowMillis) {
        this.store = store;
        this.nowMillis = nowMillis;
    }

    /** A token that the daemon itself issues. */
    public IssuedToken issue(String user, Role role, String label, long expiresMillis) {
        return issue(Issuer.DAEMON, user, role, label, expiresMillis);
    }

    /** @param expiresMillis -1 for never */
    public IssuedToken issue(Issuer issuer, String user, Role role, String label, long expiresMillis) {
        String token = PREFIX + randomText(TOKEN_BYTES);
        // An id begins with a letter, so that no shell takes it for an option.
        String id = "t" + randomText(ID_BYTES).replace('-', 'x').replace('_', 'y');
        TokenRow row =
                new TokenRow(id, sha256(token), user, role.name(), label, nowMillis.getAsLong(), expiresMillis, -1);
        store.add(row, audit(issuer, "token", id, "granted: " + role.name() + " for " + user));
        return new IssuedToken(token, row);
    }

    /** The first administrator's token, for a store without tokens; empty otherwise. */
    public Optional<IssuedToken> issueFirstAdmin(String user) {
        return store.all().isEmpty()
                ? Optional.of(issue(user, Role.ADMIN, "first admin", nowMillis.getAsLong() + LIFETIME_MILLIS))
                : Optional.empty();
    }

    /** Revokes the tokens that earlier versions left in files for local clients, which now need none. */
    public void revokeLocalClients() {
        store.all().stream()
                .filter(row -> row.label().equals(LOCAL_CLIENT) && row.revokedMillis() < 0)
                .forEach(row -> revoke(row.id()));
    }

    /** The row of this token, if it is valid now. */
    public Optional<TokenRow> authenticate(String token) {
        if (!TOKEN_PATTERN.matcher(token).matches()) {
            return Optional.empty();
        }
        return byHash(sha256(token));
    }

    /** Whether a token with this SHA-256 is valid now. */
    public boolean isValid(String sha256) {
        return byHash(sha256).isPresent();
    }

    /** Whether this token is valid, as far as can be said without asking the store; false for one that it would have to look up. */
    public boolean isKnown(String token) {
        if (!TOKEN_PATTERN.matcher(token).matches()) {
            return false;
        }
        CachedToken cached = cache.get(sha256(token));
        return cached != null && isValid(cached.row);
    }

    private Optional<TokenRow> byHash(String hash) {
        long now = nowMillis.getAsLong();
        CachedToken cached = cache.get(hash);
        if (cached == null || now >= cached.expiresMillis || now < cached.expiresMillis - CACHE_MILLIS) {
            Optional<TokenRow> row = store.byHash(hash);
            if (row.isEmpty()
                    || !MessageDigest.isEqual(bytes(hash), bytes(row.get().sha256()))) {
                return Optional.empty();
            }
            cached = new CachedToken(row.get(), now + CACHE_MILLIS);
            if (cache.size() >= MAX_CACHED) {
                cache.clear();
            }
            cache.put(hash, cached);
        }
        return isValid(cached.row) ? Optional.of(cached.row) : Optional.empty();
    }

    private boolean isValid(TokenRow row) {
        return row.revokedMillis() < 0 && (row.expiresMillis() < 0 || nowMillis.getAsLong() < row.expiresMillis());
    }

    /** False unless there was such a valid token. */
    public boolean revoke(String id) {
        return revoke(Issuer.DAEMON, id);
    }

    /** The same for this caller. */
    public boolean revoke(Issuer issuer, String id) {
        boolean revoked = store.revoke(id, nowMillis.getAsLong(), audit(issuer, "revoke", id, "granted"));
        cache.values().removeIf(cached -> cached.row.id().equals(id));
        return revoked;
    }

    private AuditRow audit(Issuer issuer, String action, String id, String result) {
        return new AuditRow(
                0, nowMillis.getAsLong(), issuer.user, issuer.role, issuer.origin, action, "token " + id, result);
    }

    public static String sha256(String token) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes(token)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    private String randomText(int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
