package dev.fermata.live.api;

import dev.fermata.core.policy.Suggestion;
import dev.fermata.core.text.Quantity;
import dev.fermata.live.access.Role;
import dev.fermata.live.request.Actor;
import dev.fermata.live.spec.PlainText;
import io.javalin.http.Context;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One admitted request and its caller. */
final class ApiCall {
    private static final int MAX_TEXT = 1000;
    private static final long MAX_ID = Long.MAX_VALUE / 2;

    private final Context http;
    private final Endpoint endpoint;
    private final Caller caller;
    private final byte[] body;

    ApiCall(Context http, Endpoint endpoint, Caller caller, byte[] body) {
        this.http = http;
        this.endpoint = endpoint;
        this.caller = caller;
        this.body = body;
        List<String> known = endpoint.parameters().stream()
                .filter(p -> p.in().equals("query"))
                .map(Endpoint.EndpointParameter::name)
                .toList();
        for (String name : http.queryParamMap().keySet()) {
            if (!known.contains(name)) {
                String shown = sanitize(name);
                throw ApiProblemException.badRequest("unknown parameter '" + shown + "'."
                        + (known.isEmpty() ? " There are none here." : Suggestion.didYouMean(shown, known)));
            }
        }
    }

    Caller caller() {
        return caller;
    }

    Context http() {
        return http;
    }

    Actor actor() {
        return caller.actor();
    }

    boolean hasRole(Role role) {
        return caller.role() != null && caller.role().includes(role);
    }

    /** Whether the caller may see everything about a job of this owner. */
    boolean canSee(String owner) {
        return hasRole(Role.OPERATOR) || caller.user().equals(owner);
    }

    long id() {
        return parseWhole("job id", path("id"), 0, MAX_ID);
    }

    String path(String name) {
        return http.pathParam(name);
    }

    String text(String name, String defaultValue) {
        String value = http.queryParam(name);
        if (value != null && (value.length() > MAX_TEXT || !value.equals(PlainText.withoutControls(value)))) {
            throw ApiProblemException.badRequest(
                    name + " must have at most " + MAX_TEXT + " characters and no control characters");
        }
        return value == null ? defaultValue : value;
    }

    long number(String name, long defaultValue, long min, long max) {
        String value = http.queryParam(name);
        return value == null ? defaultValue : parseWhole(name, value, min, max);
    }

    /** A point in time, in milliseconds. */
    long time(String name, long defaultValue) {
        String text = text(name, "");
        try {
            return text.isEmpty() ? defaultValue : Instant.parse(text).toEpochMilli();
        } catch (DateTimeParseException | ArithmeticException e) {
            throw ApiProblemException.badRequest(name + " (" + text + ") must be a time such as 2026-01-31T08:00:00Z");
        }
    }

    boolean flag(String name) {
        String value = text(name, "false");
        if (!value.isEmpty() && !value.equals("true") && !value.equals("false")) {
            throw ApiProblemException.badRequest(name + " (" + sanitize(value) + ") must be true or false");
        }
        return !value.equals("false");
    }

    /** The requested number of rows, within the limit of a page. */
    int pageSize(int defaultValue, int max) {
        return (int) number("limit", Math.min(defaultValue, max), 1, max);
    }

    Optional<String> header(String name) {
        return Optional.ofNullable(http.header(name));
    }

    byte[] body() {
        return body;
    }

    <T> T body(Class<T> type) {
        return ApiJson.read(body(), type);
    }

    Endpoint endpoint() {
        return endpoint;
    }

    static String sanitize(@Nullable String text) {
        String shown = text == null ? "" : PlainText.withoutControls(text);
        return shown.length() > 100 ? shown.substring(0, 100) + "…" : shown;
    }

    private static long parseWhole(String what, String text, long min, long max) {
        try {
            return Quantity.integer(what, text, min, max);
        } catch (IllegalArgumentException e) {
            throw ApiProblemException.badRequest(sanitize(e.getMessage()));
        }
    }
}
