package dev.fermata.live.api;

import static dev.fermata.live.access.Role.ADMIN;
import static dev.fermata.live.access.Role.OPERATOR;
import static dev.fermata.live.access.Role.VIEWER;
import static dev.fermata.live.api.Endpoint.HttpVerb.DELETE;
import static dev.fermata.live.api.Endpoint.HttpVerb.GET;
import static dev.fermata.live.api.Endpoint.HttpVerb.POST;

import dev.fermata.core.text.Quantity;
import dev.fermata.live.access.Role;
import dev.fermata.live.access.TokenService;
import dev.fermata.live.api.Endpoint.EndpointParameter;
import dev.fermata.live.api.view.AuditPage;
import dev.fermata.live.api.view.IdentityView;
import dev.fermata.live.api.view.NewTokenView;
import dev.fermata.live.api.view.TokenPage;
import dev.fermata.live.api.view.TokenRequest;
import dev.fermata.live.request.Actor;
import dev.fermata.live.store.AuditRow;
import dev.fermata.live.store.RowPage;
import dev.fermata.live.store.TokenRow;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

/** Routes of tokens and the audit log. */
final class AccessRoutes {
    private static final int DEFAULT_ROWS = 100;
    private static final Pattern USER = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.@-]{0,63}");
    private static final int MAX_LABEL = 100;

    private final ApiPorts ports;
    private final int maxRows;

    AccessRoutes(ApiPorts ports, ApiSettings settings) {
        this.ports = ports;
        this.maxRows = settings.limits().size().pageRows();
    }

    List<Endpoint> endpoints() {
        return List.of(
                Endpoint.of(GET, "/api/v1/whoami", VIEWER, "The user and role of the token")
                        .respondNow(
                                IdentityView.class,
                                call -> new IdentityView(
                                        call.caller().user(),
                                        Objects.requireNonNull(call.caller().role()),
                                        call.caller().tokenId())),
                Endpoint.of(
                                GET,
                                "/api/v1/tokens",
                                VIEWER,
                                "The caller's tokens, all tokens for admins; without their text")
                        .respondNow(
                                TokenPage.class,
                                call -> new TokenPage(ports.store().tokens().all().stream()
                                        .filter(row -> mayManage(call, row))
                                        .map(Views::token)
                                        .toList())),
                Endpoint.of(POST, "/api/v1/tokens", ADMIN, "Issues a token; only this response contains it")
                        .requestBody(TokenRequest.class)
                        .audit("token", "")
                        .errors(400, 409)
                        .respondAsync(201, NewTokenView.class, this::issue),
                Endpoint.of(
                                POST,
                                "/api/v1/tokens/{id}/rotate",
                                VIEWER,
                                "Replaces a token by a new one of the same user, role and lifetime, at once")
                        .audit("rotate", "token {id}")
                        .errors(404)
                        .respondAsync(201, NewTokenView.class, this::rotate),
                Endpoint.of(
                                DELETE,
                                "/api/v1/tokens/{id}",
                                VIEWER,
                                "Revokes a token, at once: the caller's, for admins any")
                        .audit("revoke", "token {id}")
                        .errors(404)
                        .respondEmpty(this::revoke),
                Endpoint.of(
                                GET,
                                "/api/v1/audit",
                                OPERATOR,
                                "Requested changes, their callers and results, newest first")
                        .parameters(
                                EndpointParameter.number("limit", "rows of a page"),
                                EndpointParameter.query(
                                        "cursor", "the next page; the value of next in the page before"))
                        .errors(400)
                        .respondNow(AuditPage.class, this::audit));
    }

    private CompletableFuture<Reply> issue(ApiCall call) {
        if (call.caller().session()) {
            throw ApiProblemException.forbidden("a session of the web page makes no tokens; use fermata token create");
        }
        TokenRequest request = call.body(TokenRequest.class);
        String user = request.user();
        if (user == null || !USER.matcher(user).matches()) {
            throw ApiProblemException.badRequest("user (" + ApiCall.sanitize(user)
                    + ") must be a name: letters, digits, _ . @ - and at most 64 of them");
        }
        String label = request.label() == null ? "" : request.label();
        if (label.length() > MAX_LABEL
                || !label.equals(ApiCall.sanitize(label))
                || label.equals(TokenService.LOCAL_CLIENT)) {
            throw ApiProblemException.badRequest(
                    "label must have at most 100 characters, no control characters, and not be '"
                            + TokenService.LOCAL_CLIENT + "'");
        }
        Role role = request.role() == null ? Role.VIEWER : request.role();
        List<String> warnings = warnings(user, role);
        TokenService.IssuedToken issued = ports.tokens().issue(issuer(call), user, role, label, expiry(request));
        return issuedReply(issued, warnings);
    }

    private static CompletableFuture<Reply> issuedReply(TokenService.IssuedToken issued, List<String> warnings) {
        TokenRow row = issued.row();
        return CompletableFuture.completedFuture(Reply.json(
                201,
                new NewTokenView(
                        row.id(),
                        issued.token(),
                        row.user(),
                        Role.valueOf(row.role()),
                        row.label(),
                        Views.token(row).expires(),
                        warnings)));
    }

    private static TokenService.Issuer issuer(ApiCall call) {
        Actor actor = call.actor();
        return new TokenService.Issuer(actor.user(), actor.role(), actor.address());
    }

    /** A token with more rights than the caller's is none of its business, even if it is of the same user. */
    private CompletableFuture<Reply> rotate(ApiCall call) {
        TokenRow old = managed(call);
        Role role = Role.valueOf(old.role());
        long now = ports.nowMillis().getAsLong();
        if (!call.hasRole(role) || (old.expiresMillis() >= 0 && now >= old.expiresMillis())) {
            throw ApiProblemException.notFound(
                    "there is no valid token '" + old.id() + "' that this caller may replace");
        }
        long expires = old.expiresMillis() < 0 ? -1 : now + old.expiresMillis() - old.createdMillis();
        TokenService.IssuedToken issued = ports.tokens().issue(issuer(call), old.user(), role, old.label(), expires);
        ports.tokens().revoke(issuer(call), old.id());
        return issuedReply(issued, List.of());
    }

    /** The valid token of the path, if it is the caller's or the caller is an admin. */
    private TokenRow managed(ApiCall call) {
        String id = call.path("id");
        return ports.store().tokens().all().stream()
                .filter(row -> row.id().equals(id) && row.revokedMillis() < 0 && mayManage(call, row))
                .findFirst()
                .orElseThrow(
                        () -> ApiProblemException.notFound("there is no valid token '" + ApiCall.sanitize(id) + "'"));
    }

    private static boolean mayManage(ApiCall call, TokenRow row) {
        return call.hasRole(ADMIN) || row.user().equals(call.caller().user());
    }

    /**
     * Warns when the engine would reject every job of the new token's user. Where all jobs would have the daemon's rights, there
     * is no such token.
     */
    private List<String> warnings(String user, Role role) {
        String rejection = role.includes(Role.USER) ? ports.scheduler().userRejectionReason(user) : null;
        if (rejection != null && !ports.scheduler().separatesAccounts()) {
            throw ApiProblemException.conflict("no token for " + user + ": " + rejection);
        }
        return rejection == null ? List.of() : List.of("jobs of this token will be rejected:  " + rejection);
    }

    private long expiry(TokenRequest request) {
        if (request.expires() == null) {
            return ports.nowMillis().getAsLong() + TokenService.LIFETIME_MILLIS;
        }
        if (request.expires().equals("never")) {
            return -1;
        }
        try {
            long millis = Quantity.millis("expires", ApiCall.sanitize(request.expires()));
            if (millis == 0) {
                throw Quantity.invalid(
                        "expires", ApiCall.sanitize(request.expires()), "must be longer than 0, or never");
            }
            return ports.nowMillis().getAsLong() + millis;
        } catch (IllegalArgumentException e) {
            throw ApiProblemException.badRequest(ApiCall.sanitize(e.getMessage()));
        }
    }

    private CompletableFuture<Void> revoke(ApiCall call) {
        String id = managed(call).id();
        if (!ports.tokens().revoke(issuer(call), id)) {
            throw ApiProblemException.notFound("there is no valid token '" + id + "'");
        }
        return CompletableFuture.allOf();
    }

    private AuditPage audit(ApiCall call) {
        RowPage<AuditRow> page = ports.reader()
                .audit(call.number("cursor", Long.MAX_VALUE, 1, Long.MAX_VALUE), call.pageSize(DEFAULT_ROWS, maxRows));
        return new AuditPage(
                page.rows().stream().map(Views::audit).toList(),
                page.more()
                        ? Long.toString(page.rows().get(page.rows().size() - 1).seq())
                        : null);
    }
}
