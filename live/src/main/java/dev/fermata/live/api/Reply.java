package dev.fermata.live.api;

import dev.fermata.live.api.view.ProblemDetails;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A response: complete ({@code body}), or a stream ({@code source}). */
final class Reply {
    private final int status;
    private final String type;
    private final byte[] body;
    private final Map<String, String> headers;
    private final @Nullable StreamSource source;

    private Reply(int status, String type, byte[] body, Map<String, String> headers, @Nullable StreamSource source) {
        this.status = status;
        this.type = type;
        this.body = body;
        this.headers = headers;
        this.source = source;
    }

    int status() {
        return status;
    }

    /** Empty for a response without a body. */
    String type() {
        return type;
    }

    byte[] body() {
        return body;
    }

    Map<String, String> headers() {
        return headers;
    }

    @Nullable
    StreamSource source() {
        return source;
    }

    static Reply json(int status, Object document) {
        return new Reply(status, Endpoint.JSON, ApiJson.write(document), Map.of(), null);
    }

    static Reply text(int status, String type, byte[] text) {
        return new Reply(status, type, text, Map.of(), null);
    }

    static Reply empty() {
        return new Reply(204, "", new byte[0], Map.of(), null);
    }

    /** What the caller has is still true. */
    static Reply notModified(String etag) {
        return new Reply(304, "", new byte[0], Map.of("ETag", etag), null);
    }

    static Reply stream(String type, Map<String, String> headers, StreamSource source) {
        return new Reply(200, type, new byte[0], headers, source);
    }

    static Reply problem(ApiProblemException exception) {
        ProblemDetails problem = exception.problem();
        Map<String, String> headers = exception.retryAfterSeconds() > 0
                ? Map.of("Retry-After", Long.toString(exception.retryAfterSeconds()))
                : problem.status() == 401 ? Map.of("WWW-Authenticate", "Bearer realm=\"fermata\"") : Map.of();
        return new Reply(problem.status(), "application/problem+json", ApiJson.write(problem), headers, null);
    }

    Reply with(String header, String value) {
        return new Reply(status, type, body, Map.of(header, value), source);
    }
}
