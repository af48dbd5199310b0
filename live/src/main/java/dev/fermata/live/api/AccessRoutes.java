package dev.fermata.live.api;

import static dev.fermata.live.access.Role.ADMIN;
import static dev.fermata.live.access.Role.OPERATOR;
import static dev.fermata.live.access.Role.VIEWER;
import static dev.fermata.live.api.Endpoint.Verb.DELETE;
import static dev.fermata.live.api.Endpoint.Verb.GET;
import static dev.fermata.live.api.Endpoint.Verb.POST;

import dev.fermata.core.text.Quantity;
import dev.fermata.live.access.Role;
import dev.fermata.live.access.TokenBook;
import dev.fermata.live.api.Endpoint.Parameter;
import dev.fermata.live.api.view.AuditPage;
import dev.fermata.live.api.view.NewToken;
import dev.fermata.live.api.view.TokenPage;
import dev.fermata.live.api.view.TokenRequest;
import dev.fermata.live.api.view.WhoAmI;
import dev.fermata.live.store.AuditRow;
import dev.fermata.live.store.Page;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;

/** Tokens and the audit trail. */
final class AccessRoutes {
    private static final int ROWS = 100;
    private static final Pattern USER = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.@-]{0,63}");
    private static final int LONGEST_LABEL = 100;

    private final ApiPorts ports;
    private final int mostRows;

    AccessRoutes(ApiPorts ports, ApiSettings settings) {
        this.ports = ports;
        this.mostRows = settings.limits().pageRows();
    }

    List<Endpoint> endpoints() {
        return List.of(
                Endpoint.of(GET, "/api/v1/whoami", VIEWER, "Whose token this is")
                        .now(
                                WhoAmI.class,
                                call -> new WhoAmI(
                                        call.visitor().user(),
                                        Objects.requireNonNull(call.visitor().role()),
                                        call.visitor().tokenId())),
                Endpoint.of(GET, "/api/v1/tokens", ADMIN, "All tokens, without the tokens")
                        .now(
                                TokenPage.class,
                                call -> new TokenPage(ports.store().tokens().all().stream()
                                        .map(Views::token)
                                        .toList())),
                Endpoint.of(
                                POST,
                                "/api/v1/tokens",
                                ADMIN,
                                "Makes a token; the answer is the only place where it ever stands")
                        .takes(TokenRequest.class)
                        .audits("token", "")
                        .fails(400)
                        .later(201, NewToken.class, this::make),
                Endpoint.of(DELETE, "/api/v1/tokens/{id}", ADMIN, "Revokes a token, at once")
                        .audits("revoke", "token {id}")
                        .fails(404)
                        .done(this::revoke),
                Endpoint.of(
                                GET,
                                "/api/v1/audit",
                                OPERATOR,
                                "Who asked for which change and what came of it, newest first")
                        .with(
                                Parameter.number("limit", "rows of a page"),
                                Parameter.query("cursor", "the page after the one that named this as next"))
                        .fails(400)
                        .now(AuditPage.class, this::audit));
    }

    private CompletableFuture<Reply> make(Call call) {
        TokenRequest wish = call.body(TokenRequest.class);
        String user = wish.user();
        if (user == null || !USER.matcher(user).matches()) {
            throw Refused.badRequest(
                    "user (" + Call.plain(user) + ") must be a name: letters, digits, _ . @ - and at most 64 of them");
        }
        String label = wish.label() == null ? "" : wish.label();
        if (label.length() > LONGEST_LABEL
                || !label.equals(Call.plain(label))
                || label.equals(TokenBook.LOCAL_CLIENT)) {
            throw Refused.badRequest("label must have at most 100 characters, no control characters, and not be '"
                    + TokenBook.LOCAL_CLIENT + "'");
        }
        Role role = wish.role() == null ? Role.VIEWER : wish.role();
        TokenBook.Issued issued = ports.tokens().issue(user, role, label, expiry(wish));
        ports.desk()
                .note(call.actor(), "token", "token " + issued.row().id(), "granted: " + role.name() + " for " + user);
        return CompletableFuture.completedFuture(Reply.json(
                201,
                new NewToken(
                        issued.row().id(),
                        issued.token(),
                        user,
                        role,
                        label,
                        Views.token(issued.row()).expires(),
                        warnings(user, role))));
    }

    /** A token with which jobs can be submitted is of little use where every one of them would be refused. */
    private List<String> warnings(String user, Role role) {
        String refusal = role.covers(Role.USER) ? ports.desk().refusesJobsOf(user) : null;
        return refusal == null ? List.of() : List.of("jobs of this token will be refused: " + refusal);
    }

    private long expiry(TokenRequest wish) {
        if (wish.expires() == null) {
            return -1;
        }
        try {
            long millis = Quantity.millis("expires", Call.plain(wish.expires()));
            if (millis == 0) {
                throw Quantity.wrong("expires", Call.plain(wish.expires()), "must be longer than 0; without it, never");
            }
            return ports.nowMillis().getAsLong() + millis;
        } catch (IllegalArgumentException e) {
            throw Refused.badRequest(Call.plain(e.getMessage()));
        }
    }

    private CompletableFuture<Void> revoke(Call call) {
        String id = call.path("id");
        if (!ports.tokens().revoke(id)) {
            throw Refused.notFound("there is no good token '" + Call.plain(id) + "'");
        }
        ports.desk().note(call.actor(), "revoke", "token " + id, "granted");
        return CompletableFuture.allOf();
    }

    private AuditPage audit(Call call) {
        Page<AuditRow> page = ports.reader()
                .audit(call.number("cursor", Long.MAX_VALUE, 1, Long.MAX_VALUE), call.rows(ROWS, mostRows));
        return new AuditPage(
                page.rows().stream().map(Views::audit).toList(),
                page.more()
                        ? Long.toString(page.rows().get(page.rows().size() - 1).seq())
                        : null);
    }
}
