package dev.fermata.live.api;

import dev.fermata.live.access.PeerAccount;
import dev.fermata.live.access.RateLimiter;
import dev.fermata.live.access.Role;
import dev.fermata.live.access.SessionService;
import dev.fermata.live.access.SessionService.SessionOwner;
import dev.fermata.live.access.TokenService;
import dev.fermata.live.engine.ReportInbox;
import dev.fermata.live.store.TokenRow;
import io.javalin.http.Context;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.io.Connection;
import org.jspecify.annotations.Nullable;

/** Admits or rejects a request by its origin, its rate, its token and the role of that token. */
final class RequestGuard {
    static final String WRONG_ATTEMPT_TOKEN = "the token is not that of a live attempt";

    private static final String BEARER = "bearer ";
    private static final double REPORTS_PER_SECOND = 5;
    private static final double REPORT_BURST = 50;

    private final AllowedHosts allowedHosts;
    private final @Nullable Role localUsers;
    private final TokenService tokens;
    private final SessionService sessions;
    private final ReportInbox reports;
    private final RateLimiter byAttempt;
    private final RateLimiter byToken;
    private final RateLimiter byAddress;
    private final RateLimiter failures;

    RequestGuard(
            ApiSettings settings,
            TokenService tokens,
            SessionService sessions,
            ReportInbox reports,
            LongSupplier nanos) {
        this.allowedHosts = new AllowedHosts(settings.bind(), settings.hosts(), settings.tls() != null);
        this.localUsers = settings.localUsers();
        this.tokens = tokens;
        this.sessions = sessions;
        this.reports = reports;
        this.byAttempt = new RateLimiter(REPORTS_PER_SECOND, REPORT_BURST, nanos);
        double rate = settings.limits().rate().requestsPerSecond();
        this.byToken = new RateLimiter(rate, 2 * rate, nanos);
        this.byAddress = new RateLimiter(2 * rate, 4 * rate, nanos);
        double wrong = settings.limits().rate().failuresPerMinute();
        this.failures = new RateLimiter(wrong / 60, wrong, nanos);
    }

    /** For every request, whatever its path. */
    void checkOrigin(Context http) {
        allowedHosts.check(
                http.header("Host"),
                http.header("Origin"),
                isNavigationToView(http) ? null : http.header("Sec-Fetch-Site"),
                http.req().getLocalAddr(),
                http.req().getLocalPort());
        long seconds = byAddress.tryAcquire(remoteAddress(http));
        if (seconds > 0 && !isKnown(http)) {
            rejectIfLimited(seconds, "this address");
        }
    }

    /** Whether a caller who was seen before is asking; a flood at the same address does not shut this caller out. */
    private boolean isKnown(Context http) {
        return bearer(http.header("Authorization"))
                .map(tokens::isKnown)
                .orElseGet(() -> session(http).isPresent());
    }

    /** A link on another site may lead to a view: its files tell nothing, and the page asks with its own session. */
    private static boolean isNavigationToView(Context http) {
        return "GET".equals(http.req().getMethod())
                && "navigate".equals(http.header("Sec-Fetch-Mode"))
                && "document".equals(http.header("Sec-Fetch-Dest"))
                && WebPage.isView(http.path());
    }

    /** The caller, as far as the endpoint needs one; throws when a required token is missing or invalid. */
    Caller authenticate(Context http, Endpoint endpoint) {
        String from = remoteAddress(http);
        if (endpoint.forAttempt()) {
            return authenticateAttempt(http, from);
        }
        if (endpoint.role() == null) {
            return Caller.anonymous(from);
        }
        String header = http.header("Authorization");
        PeerAccount peer = LocalSocket.peer(http.req());
        if (header == null && peer != null) {
            return authenticateLocal(peer, from);
        }
        Optional<SessionOwner> owner = header == null ? session(http) : Optional.empty();
        if (owner.isPresent()) {
            rejectIfLimited(
                    byToken.tryAcquire(owner.get().user() + " " + owner.get().tokenId()), "this session");
            return new Caller(
                    owner.get().user(), owner.get().role(), owner.get().tokenId(), from, true);
        }
        Optional<TokenRow> found = bearer(header).flatMap(tokens::authenticate);
        if (found.isEmpty()) {
            rejectIfLimited(failures.tryAcquire(from), "wrong tokens from this address");
            throw ApiProblemException.unauthorized(
                    header == null
                            ? "a token is needed: Authorization: Bearer fm_…"
                            : "the token is unknown, expired or revoked");
        }
        TokenRow row = found.get();
        rejectIfLimited(byToken.tryAcquire(row.id()), "this token");
        return new Caller(row.user(), Role.valueOf(row.role()), row.id(), from);
    }

    /** The accounts of the daemon and of root may do everything; others have the role that the operator gave them. */
    private Caller authenticateLocal(PeerAccount peer, String from) {
        Role role = peer.isTrusted() ? Role.ADMIN : peer.isNamed() ? localUsers : null;
        if (role == null) {
            throw ApiProblemException.unauthorized("a token is needed: the account " + peer.name()
                    + " may not call this daemon without one (up --local-users)");
        }
        rejectIfLimited(byToken.tryAcquire(from), "this account");
        return new Caller(peer.name(), role, "", from);
    }

    /** Before the body is read: no other request may have one. */
    private Caller authenticateAttempt(Context http, String from) {
        String attempt = http.pathParam("attempt");
        Optional<String> token = bearer(http.header("Authorization"));
        if (token.isEmpty() || !reports.isAuthorized(attempt, token.get())) {
            rejectIfLimited(failures.tryAcquire(from), "wrong tokens from this address");
            throw ApiProblemException.unauthorized(WRONG_ATTEMPT_TOKEN);
        }
        rejectIfLimited(byAttempt.tryAcquire(attempt), "this attempt");
        return Caller.anonymous(from);
    }

    private Optional<SessionOwner> session(Context http) {
        return sessions.authenticate(
                SessionCookies.cookie(http).orElse(null),
                SessionCookies.key(http).orElse(null));
    }

    /** Whether the caller is still authorised; checked repeatedly while a response goes on. */
    BooleanSupplier validity(Context http) {
        String header = http.header("Authorization");
        if (header == null && LocalSocket.peer(http.req()) != null) {
            return () -> true;
        }
        String cookie = SessionCookies.cookie(http).orElse(null);
        String key = SessionCookies.key(http).orElse(null);
        return () -> header == null
                ? sessions.authenticate(cookie, key).isPresent()
                : bearer(header).flatMap(tokens::authenticate).isPresent();
    }

    private static Optional<String> bearer(@Nullable String header) {
        return header != null && header.toLowerCase(Locale.ROOT).startsWith(BEARER)
                ? Optional.of(header.substring(BEARER.length()).strip())
                : Optional.empty();
    }

    /** Throws unless the caller has the role of the endpoint. */
    static void authorize(Caller caller, Endpoint endpoint) {
        Role needed = endpoint.role();
        Role role = caller.role();
        if (needed != null && (role == null || !role.includes(needed))) {
            throw ApiProblemException.forbidden("this needs the role " + roleName(needed) + "; the token of "
                    + caller.user() + " has " + (role == null ? "no role" : "the role " + roleName(role)));
        }
    }

    static String remoteAddress(Context http) {
        PeerAccount peer = LocalSocket.peer(http.req());
        return peer == null ? http.req().getRemoteAddr() : "account " + peer.name();
    }

    static Connection connection(Context http) {
        return ServletContextRequest.getServletContextRequest(http.req())
                .getConnectionMetaData()
                .getConnection();
    }

    private static void rejectIfLimited(long seconds, String whose) {
        if (seconds > 0) {
            throw ApiProblemException.tooManyRequests(
                    "too many requests for " + whose + "; again in " + seconds + " s", seconds);
        }
    }

    private static String roleName(Role role) {
        return role.name().toLowerCase(Locale.ROOT);
    }
}
