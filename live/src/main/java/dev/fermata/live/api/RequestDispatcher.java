package dev.fermata.live.api;

import io.javalin.http.Context;
import io.javalin.http.HttpResponseException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;

/** Processes a request: checks its origin and token, reads its body, calls its handler, writes the response. */
final class RequestDispatcher {
    private static final Set<String> VERBS = Set.of("GET", "POST", "PUT", "PATCH", "DELETE");
    private static final Duration LOG_POLL = Duration.ofMillis(250);
    private static final Map<String, String> SECURITY_HEADERS = Map.of(
            "X-Content-Type-Options", "nosniff",
            "Cache-Control", "no-store",
            "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
            "Cross-Origin-Resource-Policy", "same-origin",
            "Referrer-Policy", "no-referrer",
            "X-Frame-Options", "DENY");
    private static final String CALLER = "caller";

    private final ApiSettings.Limits limits;
    private final ApiPorts ports;
    private final RequestGuard guard;
    private final OpenStreams streams;
    private final Executor threads;
    private final ScheduledExecutorService timer;

    RequestDispatcher(
            ApiSettings settings,
            ApiPorts ports,
            RequestGuard guard,
            OpenStreams streams,
            Executor threads,
            ScheduledExecutorService timer) {
        this.limits = settings.limits();
        this.ports = ports;
        this.guard = guard;
        this.streams = streams;
        this.threads = threads;
        this.timer = timer;
    }

    /** Runs first, for every path and method. */
    void beforeRequest(Context http) {
        SECURITY_HEADERS.forEach(http::header);
        if (!VERBS.contains(http.req().getMethod())) {
            throw ApiProblemException.methodNotAllowed("only GET, POST, PUT, PATCH and DELETE are answered");
        }
        guard.checkOrigin(http);
    }

    void dispatch(Context http, Endpoint endpoint) {
        Caller caller;
        try {
            caller = guard.authenticate(http, endpoint);
            http.attribute(CALLER, caller);
            RequestGuard.authorize(caller, endpoint);
            requireJson(http, endpoint);
        } catch (RuntimeException e) {
            write(http, endpoint, rejection(http, endpoint, e));
            return;
        }
        if (endpoint.body().isPresent()) {
            http.future(() -> finish(
                    http,
                    endpoint,
                    body(http, endpoint).thenComposeAsync(body -> invoke(http, endpoint, caller, body), threads)));
            return;
        }
        CompletableFuture<Reply> reply = invoke(http, endpoint, caller, new byte[0]);
        if (reply.isDone() && !reply.isCompletedExceptionally() && reply.join().source() == null) {
            write(http, endpoint, reply.join());
            return;
        }
        http.future(() -> finish(http, endpoint, reply));
    }

    /** Handles exceptions before a route: unknown paths, wrong methods, missing tokens. */
    void handleException(Context http, Exception thrown) {
        ApiProblemException exception = thrown instanceof HttpResponseException known
                ? toProblemException(known)
                : ApiProblemException.of(thrown);
        write(http, "none", Reply.problem(exception));
    }

    private CompletableFuture<byte[]> body(Context http, Endpoint endpoint) {
        try {
            return BodyReader.read(
                    http.req(),
                    endpoint.forAttempt()
                            ? ReportRoutes.MAX_BYTES
                            : limits.size().bodyBytes(),
                    limits.timeouts().requestTime().toMillis(),
                    timer);
        } catch (IOException e) {
            return CompletableFuture.failedFuture(ApiProblemException.badRequest("the body could not be read"));
        }
    }

    private static CompletableFuture<Reply> invoke(Context http, Endpoint endpoint, Caller caller, byte[] body) {
        try {
            return endpoint.handler().handle(new ApiCall(http, endpoint, caller, body));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Never on the thread that completed the response: that is the scheduler loop's, and sockets are slow. */
    private CompletableFuture<Void> finish(Context http, Endpoint endpoint, CompletableFuture<Reply> coming) {
        return coming.handleAsync((reply, error) -> error == null ? reply : rejection(http, endpoint, error), threads)
                .thenCompose(reply -> send(http, endpoint, reply));
    }

    private CompletableFuture<Void> send(Context http, Endpoint endpoint, Reply reply) {
        write(http, endpoint, reply);
        StreamSource source = reply.source();
        try {
            return source == null
                    ? CompletableFuture.allOf()
                    : streams.send(
                            http.res(),
                            source,
                            source instanceof LogStreamSource ? LOG_POLL : null,
                            guard.validity(http));
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** A rejected change is recorded in the audit log. */
    private Reply rejection(Context http, Endpoint endpoint, Throwable error) {
        ApiProblemException exception = ApiProblemException.of(error);
        int status = exception.problem().status();
        if (endpoint.verb().isMutating() && !endpoint.forAttempt() && status != 429) {
            Caller caller = http.attribute(CALLER);
            Caller who = caller == null ? Caller.anonymous(RequestGuard.remoteAddress(http)) : caller;
            ports.scheduler()
                    .recordAudit(
                            who.actor(),
                            endpoint.audit().action(),
                            auditTarget(http, endpoint),
                            "refused: " + status + " " + exception.problem().title());
        }
        return Reply.problem(exception);
    }

    private static String auditTarget(Context http, Endpoint endpoint) {
        String target = endpoint.audit().target();
        for (Map.Entry<String, String> part : http.pathParamMap().entrySet()) {
            target = target.replace("{" + part.getKey() + "}", ApiCall.sanitize(part.getValue()));
        }
        return target;
    }

    private static void requireJson(Context http, Endpoint endpoint) {
        String type = http.contentType();
        if (endpoint.body().isPresent()
                && (type == null
                        || !type.split(";", 2)[0]
                                .strip()
                                .toLowerCase(Locale.ROOT)
                                .equals(Endpoint.JSON))) {
            throw ApiProblemException.unsupportedMediaType(
                    "Content-Type (" + ApiCall.sanitize(type) + ") must be " + Endpoint.JSON);
        }
    }

    private void write(Context http, Endpoint endpoint, Reply reply) {
        write(http, endpoint.path(), reply);
    }

    private void write(Context http, String route, Reply reply) {
        http.status(reply.status());
        reply.headers().forEach(http::header);
        if (!reply.type().isEmpty()) {
            http.contentType(reply.type());
        }
        if (reply.source() == null) {
            http.result(new ByteArrayInputStream(reply.body()));
        }
        ports.metrics().recordRequest(route, reply.status());
    }

    private static ApiProblemException toProblemException(HttpResponseException e) {
        return switch (e.getStatus()) {
            case 404 -> ApiProblemException.notFound("there is no such path; /api/v1/docs lists them all");
            case 405 ->
                ApiProblemException.methodNotAllowed(
                        "this path does not support this method; /api/v1/docs lists those it supports");
            default -> ApiProblemException.badRequest("the request could not be understood");
        };
    }
}
