package dev.fermata.live.api;

import dev.fermata.core.policy.Suggest;
import dev.fermata.core.text.Quantity;
import dev.fermata.live.access.Role;
import dev.fermata.live.conductor.Actor;
import io.javalin.http.Context;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One request, after it was let in: who asks, and for what. */
final class Call {
    private static final long MOST_ID = Long.MAX_VALUE / 2;

    private final Context http;
    private final Endpoint endpoint;
    private final Visitor visitor;
    private final byte[] body;

    Call(Context http, Endpoint endpoint, Visitor visitor, byte[] body) {
        this.http = http;
        this.endpoint = endpoint;
        this.visitor = visitor;
        this.body = body;
        List<String> known = endpoint.parameters().stream()
                .filter(p -> p.in().equals("query"))
                .map(Endpoint.Parameter::name)
                .toList();
        for (String name : http.queryParamMap().keySet()) {
            if (!known.contains(name)) {
                String shown = plain(name);
                throw Refused.badRequest("unknown parameter '" + shown + "'."
                        + (known.isEmpty() ? " There are none here." : Suggest.among(shown, known)));
            }
        }
    }

    Visitor visitor() {
        return visitor;
    }

    Actor actor() {
        return visitor.actor();
    }

    boolean may(Role role) {
        return visitor.role() != null && visitor.role().covers(role);
    }

    /** Whether the asking user may know everything about a job of this owner. */
    boolean mayKnow(String owner) {
        return may(Role.OPERATOR) || visitor.user().equals(owner);
    }

    long id() {
        return whole("job id", path("id"), 0, MOST_ID);
    }

    String path(String name) {
        return http.pathParam(name);
    }

    String text(String name, String absent) {
        String value = http.queryParam(name);
        if (value != null && (value.length() > 1000 || !value.equals(plain(value)))) {
            throw Refused.badRequest(name + " must have at most 1000 characters and no control characters");
        }
        return value == null ? absent : value;
    }

    long number(String name, long absent, long min, long max) {
        String value = http.queryParam(name);
        return value == null ? absent : whole(name, value, min, max);
    }

    /** A point in time, in milliseconds. */
    long time(String name, long absent) {
        String text = text(name, "");
        try {
            return text.isEmpty() ? absent : Instant.parse(text).toEpochMilli();
        } catch (DateTimeParseException | ArithmeticException e) {
            throw Refused.badRequest(name + " (" + text + ") must be a time such as 2026-01-31T08:00:00Z");
        }
    }

    boolean flag(String name) {
        String value = text(name, "false");
        if (!value.isEmpty() && !value.equals("true") && !value.equals("false")) {
            throw Refused.badRequest(name + " (" + plain(value) + ") must be true or false");
        }
        return !value.equals("false");
    }

    /** How many rows of a list, within what a page holds. */
    int rows(int absent, int most) {
        return (int) number("limit", Math.min(absent, most), 1, most);
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

    static String plain(@Nullable String text) {
        String shown = text == null ? "" : text.replaceAll("\\p{Cntrl}", "?");
        return shown.length() > 100 ? shown.substring(0, 100) + "…" : shown;
    }

    private static long whole(String what, String text, long min, long max) {
        try {
            return Quantity.whole(what, text, min, max);
        } catch (IllegalArgumentException e) {
            throw Refused.badRequest(plain(e.getMessage()));
        }
    }
}
