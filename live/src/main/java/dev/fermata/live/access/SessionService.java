package dev.fermata.live.access;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Sessions of the web page. A session has two halves, a cookie and a key, because browsers send cookies to every port of a
 * host: a server on another port gets only the cookie, an injected script only the key. Both are kept hashed and in memory
 * only, so a restart of the daemon ends all sessions.
 */
public final class SessionService {
    private static final long IDLE_MILLIS = TimeUnit.HOURS.toMillis(12);
    private static final long MAX_MILLIS = TimeUnit.DAYS.toMillis(7);
    private static final long CODE_MILLIS = TimeUnit.SECONDS.toMillis(60);
    private static final int MAX_SESSIONS = 1_000;
    private static final int MAX_CODES = 100;
    private static final int SECRET_BYTES = 32;

    /**
     * For whom a session acts.
     *
     * @param tokenId the token that opened it; empty for an account of this machine
     * @param tokenHash its SHA-256, so that the session ends with the token
     */
    public record SessionOwner(String user, Role role, String tokenId, String tokenHash) {}

    /** A new session: the only time the text of its halves is known. */
    public record NewSession(String cookie, String key, SessionOwner owner) {}

    private record Session(String keyHash, SessionOwner owner, long openedMillis, long usedMillis) {}

    private record Code(SessionOwner owner, long expiresMillis) {}

    private final Predicate<String> isValidToken;
    private final LongSupplier nowMillis;
    private final SecureRandom random = new SecureRandom();
    private final Map<String, Session> sessions = new HashMap<>();
    private final Map<String, Code> codes = new HashMap<>();

    /**
     * @param isValidToken whether a token with this SHA-256 is valid now
     * @param nowMillis a clock that never steps
     */
    public SessionService(Predicate<String> isValidToken, LongSupplier nowMillis) {
        this.isValidToken = isValidToken;
        this.nowMillis = nowMillis;
    }

    public synchronized NewSession open(SessionOwner owner) {
        long now = nowMillis.getAsLong();
        sessions.values().removeIf(session -> isOver(session, now));
        if (sessions.size() >= MAX_SESSIONS) {
            removeLeastUsed();
        }
        String cookie = secret();
        String key = secret();
        sessions.put(TokenService.sha256(cookie), new Session(TokenService.sha256(key), owner, now, now));
        return new NewSession(cookie, key, owner);
    }

    /** A code that opens one session within a minute. */
    public synchronized String issueCode(SessionOwner owner) {
        long now = nowMillis.getAsLong();
        codes.values().removeIf(code -> now >= code.expiresMillis);
        if (codes.size() >= MAX_CODES) {
            throw new IllegalStateException("too many codes wait to be used; try again in a minute");
        }
        String code = secret();
        codes.put(TokenService.sha256(code), new Code(owner, now + CODE_MILLIS));
        return code;
    }

    /** Opens the session of a code; empty for a code that is unknown, used or too old. */
    public synchronized Optional<NewSession> redeem(String text) {
        Code code = codes.remove(TokenService.sha256(text));
        return code == null || nowMillis.getAsLong() >= code.expiresMillis || !isValid(code.owner)
                ? Optional.empty()
                : Optional.of(open(code.owner));
    }

    /** The owner of the session with these halves, if it is valid now. */
    public synchronized Optional<SessionOwner> authenticate(@Nullable String cookie, @Nullable String key) {
        if (cookie == null || key == null) {
            return Optional.empty();
        }
        String id = TokenService.sha256(cookie);
        Session session = sessions.get(id);
        long now = nowMillis.getAsLong();
        if (session == null || !isEqual(session.keyHash, TokenService.sha256(key))) {
            return Optional.empty();
        }
        if (isOver(session, now) || !isValid(session.owner)) {
            sessions.remove(id);
            return Optional.empty();
        }
        sessions.put(id, new Session(session.keyHash, session.owner, session.openedMillis, now));
        return Optional.of(session.owner);
    }

    public synchronized void close(String cookie) {
        sessions.remove(TokenService.sha256(cookie));
    }

    private boolean isValid(SessionOwner owner) {
        return owner.tokenHash().isEmpty() || isValidToken.test(owner.tokenHash());
    }

    private static boolean isOver(Session session, long now) {
        return now - session.usedMillis >= IDLE_MILLIS || now - session.openedMillis >= MAX_MILLIS;
    }

    private void removeLeastUsed() {
        sessions.entrySet().stream()
                .min((a, b) -> Long.compare(a.getValue().usedMillis, b.getValue().usedMillis))
                .map(Map.Entry::getKey)
                .ifPresent(sessions::remove);
    }

    private static boolean isEqual(String hash, String other) {
        return MessageDigest.isEqual(hash.getBytes(US_ASCII), other.getBytes(US_ASCII));
    }

    private String secret() {
        byte[] bytes = new byte[SECRET_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
