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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongPredicate;
import org.eclipse.jetty.io.Connection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Processes a request: checks its origin and token, reads its body, calls its handler, writes the response. */
final class RequestDispatcher {
    private static final Logger LOG = LoggerFactory.getLogger(RequestDispatcher.class);
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

    /** A longer body is written as fast as the client takes it; no thread waits for that. */
    private static final int SMALL_BODY = 8 << 10;

    private final ApiSettings.Limits limits;
    private final ApiPorts ports;
    private final RequestGuard guard;
    private final OpenStreams streams;
    private final OpenConnections connections;
    private final RefusalLog refusals;
    private final BodyBudget bodies;
    private final RequestThreads threads;

    RequestDispatcher(
            ApiSettings settings,
            ApiPorts ports,
            RequestGuard guard,
            OpenStreams streams,
            OpenConnections connections,
            RequestThreads threads) {
        this.limits = settings.limits();
        this.ports = ports;
        this.guard = guard;
        this.streams = streams;
        this.connections = connections;
        this.threads = threads;
        this.refusals = new RefusalLog(ports.scheduler()::recordAudit);
        long period = RefusalLog.PERIOD.toMillis();
        var unused = threads.timer().scheduleWithFixedDelay(refusals::flush, period, period, TimeUnit.MILLISECONDS);
        ApiSettings.MemoryLimits memory = limits.size().memory();
        this.bodies = new BodyBudget(memory.callerBodies(), memory.bodies());
    }

    /** Records what is not recorded yet. */
    void close() {
        refusals.flush();
    }

    /** Runs first, for every path and method. */
    void beforeRequest(Context http) {
        SECURITY_HEADERS.forEach(http::header);
        http.header(RequestThreads.REQUEST_ID, RequestThreads.newRequestId());
        if (!VERBS.contains(http.req().getMethod())) {
            throw ApiProblemException.methodNotAllowed("only GET, POST, PUT, PATCH and DELETE are answered");
        }
        guard.checkOrigin(http);
    }

    void dispatch(Context http, Endpoint endpoint) {
        if (endpoint.isCheap()) {
            // On this thread, so that it is answered when all others are busy.
            CompletableFuture<Reply> reply =
                    invoke(http, endpoint, Caller.anonymous(RequestGuard.remoteAddress(http)), new byte[0]);
            Reply done = reply.isCompletedExceptionally() ? null : reply.getNow(null);
            if (done != null && done.body().length <= SMALL_BODY) {
                write(http, endpoint, done);
            } else {
                http.future(() -> finish(http, endpoint, reply));
            }
            return;
        }
        http.future(() -> finish(
                http,
                endpoint,
                threads.supply(http, () -> admit(http, endpoint))
                        .thenCompose(caller -> answer(http, endpoint, caller))));
    }

    private Caller admit(Context http, Endpoint endpoint) {
        Caller caller = guard.authenticate(http, endpoint);
        http.attribute(CALLER, caller);
        connections.identify(RequestGuard.connection(http), caller.key());
        RequestGuard.authorize(caller, endpoint);
        requireJson(http, endpoint);
        return caller;
    }

    private CompletableFuture<Reply> answer(Context http, Endpoint endpoint, Caller caller) {
        if (endpoint.body().isEmpty()) {
            return invoke(http, endpoint, caller, new byte[0]);
        }
        AtomicLong reserved = new AtomicLong();
        return body(http, endpoint, bytes -> {
                    boolean room = bodies.reserve(caller.key(), bytes);
                    reserved.addAndGet(room ? bytes : 0);
                    return room;
                })
                .thenCompose(body -> threads.supply(http, () -> body))
                .thenCompose(body -> invoke(http, endpoint, caller, body))
                .whenComplete((reply, error) -> bodies.release(caller.key(), reserved.get()));
    }

    /** Handles exceptions before a route: unknown paths, wrong methods, missing tokens. */
    void handleException(Context http, Exception thrown) {
        ApiProblemException exception = thrown instanceof HttpResponseException known
                ? toProblemException(known)
                : ApiProblemException.of(thrown);
        try {
            write(http, "none", Reply.problem(exception));
        } catch (IllegalStateException e) {
            LOG.info("a response could not be written: {}", e.toString()); // thrown again, it would come here again
        }
    }

    private CompletableFuture<byte[]> body(Context http, Endpoint endpoint, LongPredicate reserve) {
        try {
            return BodyReader.read(
                    http.req(),
                    endpoint.forAttempt()
                            ? ReportRoutes.MAX_BYTES
                            : limits.size().bodyBytes(),
                    reserve,
                    limits.timeouts().requestTime().toMillis(),
                    threads.timer());
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
        String id = RequestThreads.id(http);
        Connection connection = RequestGuard.connection(http);
        return coming.handleAsync(
                        (reply, error) -> error == null
                                ? reply
                                : RequestThreads.logged(id, () -> rejection(http, endpoint, error)),
                        threads.writers())
                .thenCompose(reply ->
                        connections.isOpen(connection) ? send(http, endpoint, reply) : discard(endpoint, reply));
    }

    /** The client has gone: its request may stand for another one already, and is not to be touched. */
    private static CompletableFuture<Void> discard(Endpoint endpoint, Reply reply) {
        LOG.debug("{}: its client has gone; status {} is not written", endpoint.path(), reply.status());
        StreamSource source = reply.source();
        try {
            if (source != null) {
                source.close();
            }
        } catch (IOException e) {
            LOG.debug("stream source: close failed: {}", e.toString());
        }
        return new CompletableFuture<>(); // nothing is left to complete
    }

    private CompletableFuture<Void> send(Context http, Endpoint endpoint, Reply reply) {
        StreamSource source = reply.source();
        boolean large = source == null && reply.body().length > SMALL_BODY;
        writeHead(http, endpoint.path(), reply);
        try {
            if (large) {
                http.res().setContentLength(reply.body().length);
                StreamWriter writer = new StreamWriter(
                        http.res().getOutputStream(), StreamSource.of(reply.body()), threads.writers());
                writer.start();
                return writer.done();
            }
            if (source == null) {
                http.result(new ByteArrayInputStream(reply.body()));
                return CompletableFuture.allOf();
            }
            Caller caller = http.attribute(CALLER);
            return streams.send(
                    http.res(),
                    source,
                    source instanceof LogStreamSource ? LOG_POLL : null,
                    caller == null ? "" : caller.user(),
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
            refusals.record(
                    who.actor(),
                    endpoint.audit().action(),
                    auditTarget(http, endpoint),
                    "refused: " + status + " " + exception.problem().title());
        } else if (status == 401 && http.header("Authorization") != null) {
            refusals.record(
                    Caller.anonymous(RequestGuard.remoteAddress(http)).actor(),
                    "login",
                    "",
                    "refused: " + exception.problem().title());
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
        writeHead(http, route, reply);
        if (reply.source() == null) {
            http.result(new ByteArrayInputStream(reply.body()));
        }
    }

    private void writeHead(Context http, String route, Reply reply) {
        http.status(reply.status());
        reply.headers().forEach(http::header);
        if (!reply.type().isEmpty()) {
            http.contentType(reply.type());
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
