package dev.fermata.live.api;

import dev.fermata.live.api.view.ProblemDetails;
import dev.fermata.live.request.RequestRejectedException;
import dev.fermata.live.spec.SpecException;
import dev.fermata.live.store.StoreException;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A rejected request with its problem document. Internal failures are logged, never shown. */
final class ApiProblemException extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(ApiProblemException.class);
    private static final String TYPE_PREFIX = "urn:fermata:problem:";
    /** Backoff that a busy daemon asks of clients. */
    private static final int RETRY_SECONDS = 1;

    private final transient ProblemDetails problem;
    private final long retryAfterSeconds;

    private ApiProblemException(
            int status,
            String type,
            String title,
            String detail,
            @Nullable List<ProblemDetails.FieldError> errors,
            long retryAfter) {
        super(detail, null, false, false);
        this.problem = new ProblemDetails(TYPE_PREFIX + type, title, status, detail, errors);
        this.retryAfterSeconds = retryAfter;
    }

    ProblemDetails problem() {
        return problem;
    }

    /** 0 for no retry. */
    long retryAfterSeconds() {
        return retryAfterSeconds;
    }

    static ApiProblemException badRequest(String detail) {
        return new ApiProblemException(400, "invalid", "Invalid request", detail, null, 0);
    }

    static ApiProblemException unauthorized(String detail) {
        return new ApiProblemException(401, "unauthorized", "No valid token", detail, null, 0);
    }

    static ApiProblemException forbidden(String detail) {
        return new ApiProblemException(403, "forbidden", "Not allowed", detail, null, 0);
    }

    static ApiProblemException notFound(String detail) {
        return new ApiProblemException(404, "not-found", "Not found", detail, null, 0);
    }

    static ApiProblemException methodNotAllowed(String detail) {
        return new ApiProblemException(405, "method", "Method not allowed", detail, null, 0);
    }

    static ApiProblemException requestTimeout(String detail) {
        return new ApiProblemException(408, "too-slow", "Too slow", detail, null, 0);
    }

    static ApiProblemException conflict(String detail) {
        return new ApiProblemException(409, "conflict", "Not in this state", detail, null, 0);
    }

    static ApiProblemException tooLarge(String detail) {
        return new ApiProblemException(413, "too-large", "Too large", detail, null, 0);
    }

    static ApiProblemException unsupportedMediaType(String detail) {
        return new ApiProblemException(415, "content-type", "Content type not supported", detail, null, 0);
    }

    static ApiProblemException misdirectedRequest(String detail) {
        return new ApiProblemException(421, "host", "Unknown host name", detail, null, 0);
    }

    static ApiProblemException tooManyRequests(String detail, long retryAfterSeconds) {
        return new ApiProblemException(429, "too-many", "Too many requests", detail, null, retryAfterSeconds);
    }

    static ApiProblemException unavailable(String detail) {
        return new ApiProblemException(503, "unavailable", "Not available now", detail, null, RETRY_SECONDS);
    }

    static ApiProblemException internalError() {
        return new ApiProblemException(500, "internal", "Internal error", "the daemon's log has the details", null, 0);
    }

    /** The problem document of any failure. */
    static ApiProblemException of(Throwable thrown) {
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (cause instanceof ApiProblemException exception) {
            return exception;
        }
        if (cause instanceof SpecException wrong) {
            List<ProblemDetails.FieldError> mistakes = wrong.problems().stream()
                    .map(p -> new ProblemDetails.FieldError(p.path(), p.message()))
                    .toList();
            return new ApiProblemException(
                    400, "invalid-job", "Invalid job", mistakes.get(0).message(), mistakes, 0);
        }
        if (cause instanceof RequestRejectedException rejection) {
            return of(rejection);
        }
        if (cause instanceof StoreException store) {
            LOG.warn("request failed: the store cannot be read", store);
            return unavailable("the store cannot be read at the moment");
        }
        LOG.error("request failed", cause);
        return internalError();
    }

    private static ApiProblemException of(RequestRejectedException rejection) {
        String explanation = String.valueOf(rejection.getMessage());
        return switch (rejection.category()) {
            case INVALID -> new ApiProblemException(422, "unsatisfiable", "Cannot be accepted", explanation, null, 0);
            case NOT_FOUND -> notFound(explanation);
            case CONFLICT -> new ApiProblemException(409, "conflict", "Not in this state", explanation, null, 0);
            case BUSY -> new ApiProblemException(429, "busy", "Too much at once", explanation, null, RETRY_SECONDS);
            case UNAVAILABLE -> unavailable(explanation);
        };
    }
}
