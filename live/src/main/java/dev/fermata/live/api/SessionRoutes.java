package dev.fermata.live.api;

import static dev.fermata.live.access.Role.VIEWER;
import static dev.fermata.live.api.Endpoint.HttpVerb.DELETE;
import static dev.fermata.live.api.Endpoint.HttpVerb.POST;
import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.fermata.live.access.RateLimiter;
import dev.fermata.live.access.Role;
import dev.fermata.live.access.SessionService;
import dev.fermata.live.access.SessionService.NewSession;
import dev.fermata.live.access.SessionService.SessionOwner;
import dev.fermata.live.access.TokenService;
import dev.fermata.live.api.view.SessionCodeView;
import dev.fermata.live.api.view.SessionRequest;
import dev.fermata.live.api.view.SessionView;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Log-in of the web page: a token, or a code that a logged-in command line asked for, opens a session. */
final class SessionRoutes {
    private static final double CODE_SECONDS = 60;

    private final TokenService tokens;
    private final SessionService sessions;
    private final Supplier<String> url;
    private final RateLimiter failures;

    /** @param url the address of this daemon, known once it listens */
    SessionRoutes(
            ApiSettings settings,
            TokenService tokens,
            SessionService sessions,
            Supplier<String> url,
            LongSupplier nanos) {
        this.url = url;
        this.tokens = tokens;
        this.sessions = sessions;
        double wrong = settings.limits().rate().failuresPerMinute();
        this.failures = new RateLimiter(wrong / 60, wrong, nanos);
    }

    List<Endpoint> endpoints() {
        return List.of(
                Endpoint.of(POST, "/api/v1/session", null, "Opens a session of the web page")
                        .requestBody(SessionRequest.class)
                        .audit("login", "")
                        .errors(400, 401, 429)
                        .respond(201, SessionView.class, Endpoint.JSON, call -> completedFuture(open(call))),
                Endpoint.of(DELETE, "/api/v1/session", VIEWER, "Ends the session of the caller")
                        .audit("logout", "")
                        .respond(204, Void.class, "", call -> completedFuture(close(call))),
                Endpoint.of(POST, "/api/v1/session/code", VIEWER, "A code that opens one session within a minute")
                        .audit("login code", "")
                        .errors(429)
                        .respond(201, SessionCodeView.class, Endpoint.JSON, call -> completedFuture(issueCode(call))));
    }

    private Reply open(ApiCall call) {
        SessionRequest request = call.body(SessionRequest.class);
        if ((request.token() == null) == (request.code() == null)) {
            throw ApiProblemException.badRequest("give a token or a code");
        }
        Optional<NewSession> session = request.code() != null
                ? sessions.redeem(request.code())
                : tokens.authenticate(Objects.requireNonNull(request.token()))
                        .map(row -> new SessionOwner(row.user(), Role.valueOf(row.role()), row.id(), row.sha256()))
                        .map(sessions::open);
        if (session.isEmpty()) {
            long seconds = failures.tryAcquire(call.caller().remoteAddress());
            throw seconds > 0
                    ? ApiProblemException.tooManyRequests(
                            "too many wrong tokens from this address; again in " + seconds + " s", seconds)
                    : ApiProblemException.unauthorized(
                            request.code() == null
                                    ? "the token is unknown, expired or revoked"
                                    : "the code is unknown, used or older than a minute");
        }
        NewSession opened = session.get();
        return Reply.json(
                        201,
                        new SessionView(
                                opened.key(),
                                opened.owner().user(),
                                opened.owner().role()))
                .with("Set-Cookie", SessionCookies.setCookie(call.http(), opened.cookie()));
    }

    private Reply close(ApiCall call) {
        SessionCookies.cookie(call.http()).ifPresent(sessions::close);
        return Reply.empty().with("Set-Cookie", SessionCookies.removeCookie(call.http()));
    }

    private Reply issueCode(ApiCall call) {
        Caller caller = call.caller();
        if (caller.session()) {
            throw ApiProblemException.forbidden("a session opens no further sessions; log in with the token");
        }
        String tokenHash = call.header("Authorization")
                .map(header -> TokenService.sha256(
                        header.substring(header.indexOf(' ') + 1).strip()))
                .orElse("");
        SessionOwner owner =
                new SessionOwner(caller.user(), Objects.requireNonNull(caller.role()), caller.tokenId(), tokenHash);
        String code = sessions.issueCode(owner);
        return Reply.json(201, new SessionCodeView(code, url.get() + "/login#code=" + code, CODE_SECONDS));
    }
}
