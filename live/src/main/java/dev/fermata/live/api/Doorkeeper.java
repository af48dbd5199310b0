package dev.fermata.live.api;

import dev.fermata.live.access.Allowance;
import dev.fermata.live.access.Role;
import dev.fermata.live.access.TokenBook;
import dev.fermata.live.store.TokenRow;
import io.javalin.http.Context;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Lets a request in or refuses it: where it comes from, how often, with which token, and whether that token is enough. */
final class Doorkeeper {
    private static final String BEARER = "bearer ";

    private final OwnNames names;
    private final TokenBook tokens;
    private final Allowance byToken;
    private final Allowance byAddress;
    private final Allowance failures;

    Doorkeeper(ApiSettings settings, TokenBook tokens, LongSupplier nanos) {
        this.names = new OwnNames(settings.bind(), settings.hosts(), settings.tls() != null);
        this.tokens = tokens;
        double rate = settings.limits().requestsPerSecond();
        this.byToken = new Allowance(rate, 2 * rate, nanos);
        this.byAddress = new Allowance(2 * rate, 4 * rate, nanos);
        double wrong = settings.limits().failuresPerMinute();
        this.failures = new Allowance(wrong / 60, wrong, nanos);
    }

    /** For every request, whatever its path. */
    void greet(Context http) {
        names.check(
                http.header("Host"),
                http.header("Origin"),
                http.header("Sec-Fetch-Site"),
                http.req().getLocalAddr(),
                http.req().getLocalPort());
        wait(byAddress.take(from(http)), "this address");
    }

    /** Who it is, as far as the endpoint asks; throws when a token is needed and there is none, or it is not good. */
    Visitor identify(Context http, Endpoint endpoint) {
        String from = from(http);
        if (endpoint.role() == null) {
            return Visitor.unknown(from);
        }
        String header = http.header("Authorization");
        Optional<TokenRow> found = holder(header);
        if (found.isEmpty()) {
            wait(failures.take(from), "wrong tokens from this address");
            throw Refused.unauthorized(
                    header == null
                            ? "a token is needed: Authorization: Bearer fm_…"
                            : "the token is unknown, expired or revoked");
        }
        TokenRow row = found.get();
        wait(byToken.take(row.id()), "this token");
        return new Visitor(row.user(), Role.valueOf(row.role()), row.id(), from);
    }

    /** Whether what was shown at the door is still good, to be asked again as long as an answer goes on. */
    BooleanSupplier standing(@Nullable String header) {
        return () -> holder(header).isPresent();
    }

    private Optional<TokenRow> holder(@Nullable String header) {
        return header != null && header.toLowerCase(Locale.ROOT).startsWith(BEARER)
                ? tokens.check(header.substring(BEARER.length()).strip())
                : Optional.empty();
    }

    /** Throws unless the endpoint is for this visitor. */
    static void authorise(Visitor visitor, Endpoint endpoint) {
        Role needed = endpoint.role();
        Role role = visitor.role();
        if (needed != null && (role == null || !role.covers(needed))) {
            throw Refused.forbidden("this takes the role " + word(needed) + "; the token of " + visitor.user()
                    + " is for " + (role == null ? "nothing" : "a " + word(role)));
        }
    }

    static String from(Context http) {
        return http.req().getRemoteAddr();
    }

    private static void wait(long seconds, String whose) {
        if (seconds > 0) {
            throw Refused.tooMany("too many requests for " + whose + "; again in " + seconds + " s", seconds);
        }
    }

    private static String word(Role role) {
        return role.name().toLowerCase(Locale.ROOT);
    }
}
