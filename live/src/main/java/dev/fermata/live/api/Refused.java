package dev.fermata.live.api;

import dev.fermata.live.api.view.Problem;
import dev.fermata.live.conductor.Refusal;
import dev.fermata.live.spec.SpecException;
import dev.fermata.live.store.StoreException;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A request that is not granted: the problem as it goes out. What went wrong inside is logged, never told. */
final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;
    private static final Logger LOG = LoggerFactory.getLogger(Refused.class);
    private static final String TYPES = "urn:fermata:problem:";
    private static final int LATER_SECONDS = 1;

    private final transient Problem problem;
    private final long retryAfterSeconds;

    private Refused(
            int status,
            String kind,
            String title,
            String detail,
            @Nullable List<Problem.Mistake> errors,
            long retryAfter) {
        super(detail, null, false, false);
        this.problem = new Problem(TYPES + kind, title, status, detail, errors);
        this.retryAfterSeconds = retryAfter;
    }

    Problem problem() {
        return problem;
    }

    /** 0 when there is nothing to wait for. */
    long retryAfterSeconds() {
        return retryAfterSeconds;
    }

    static Refused badRequest(String detail) {
        return new Refused(400, "invalid", "Invalid request", detail, null, 0);
    }

    static Refused unauthorized(String detail) {
        return new Refused(401, "unauthorized", "No valid token", detail, null, 0);
    }

    static Refused forbidden(String detail) {
        return new Refused(403, "forbidden", "Not allowed", detail, null, 0);
    }

    static Refused notFound(String detail) {
        return new Refused(404, "not-found", "Not found", detail, null, 0);
    }

    static Refused wrongMethod(String detail) {
        return new Refused(405, "method", "Method not allowed", detail, null, 0);
    }

    static Refused tooSlow(String detail) {
        return new Refused(408, "too-slow", "Too slow", detail, null, 0);
    }

    static Refused tooLarge(String detail) {
        return new Refused(413, "too-large", "Too large", detail, null, 0);
    }

    static Refused wrongType(String detail) {
        return new Refused(415, "content-type", "Content type not supported", detail, null, 0);
    }

    static Refused wrongHost(String detail) {
        return new Refused(421, "host", "Not called under its own name", detail, null, 0);
    }

    static Refused tooMany(String detail, long retryAfterSeconds) {
        return new Refused(429, "too-many", "Too many requests", detail, null, retryAfterSeconds);
    }

    static Refused unavailable(String detail) {
        return new Refused(503, "unavailable", "Not available now", detail, null, LATER_SECONDS);
    }

    static Refused internal() {
        return new Refused(
                500, "internal", "Something went wrong here", "the daemon's log says more about it", null, 0);
    }

    /** What anything that was thrown looks like from outside. */
    static Refused of(Throwable thrown) {
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (cause instanceof Refused refused) {
            return refused;
        }
        if (cause instanceof SpecException wrong) {
            List<Problem.Mistake> mistakes = wrong.problems().stream()
                    .map(p -> new Problem.Mistake(p.path(), p.message()))
                    .toList();
            return new Refused(
                    400, "invalid-job", "Invalid job", mistakes.get(0).message(), mistakes, 0);
        }
        if (cause instanceof Refusal refusal) {
            return of(refusal);
        }
        if (cause instanceof StoreException store) {
            LOG.warn("the store could not answer", store);
            return unavailable("the store cannot be read at the moment");
        }
        LOG.error("a request failed", cause);
        return internal();
    }

    private static Refused of(Refusal refusal) {
        String why = String.valueOf(refusal.getMessage());
        return switch (refusal.kind()) {
            case INVALID -> new Refused(422, "unsatisfiable", "Cannot be accepted", why, null, 0);
            case NOT_FOUND -> notFound(why);
            case CONFLICT -> new Refused(409, "conflict", "Not in this state", why, null, 0);
            case BUSY -> new Refused(429, "busy", "Too much at once", why, null, LATER_SECONDS);
            case UNAVAILABLE -> unavailable(why);
        };
    }
}
