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

/** The way of a request: greeted, admitted, its body read, its action asked, and its answer written. */
final class Reception {
    private static final Set<String> VERBS = Set.of("GET", "POST", "PUT", "PATCH", "DELETE");
    private static final Duration LOG_LOOK = Duration.ofMillis(250);
    private static final Map<String, String> ALWAYS = Map.of(
            "X-Content-Type-Options", "nosniff",
            "Cache-Control", "no-store",
            "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
            "Cross-Origin-Resource-Policy", "same-origin",
            "Referrer-Policy", "no-referrer",
            "X-Frame-Options", "DENY");
    private static final String VISITOR = "visitor";

    private final ApiSettings.Limits limits;
    private final ApiPorts ports;
    private final Doorkeeper doorkeeper;
    private final Streams streams;
    private final Executor threads;
    private final ScheduledExecutorService timer;

    Reception(
            ApiSettings settings,
            ApiPorts ports,
            Doorkeeper doorkeeper,
            Streams streams,
            Executor threads,
            ScheduledExecutorService timer) {
        this.limits = settings.limits();
        this.ports = ports;
        this.doorkeeper = doorkeeper;
        this.streams = streams;
        this.threads = threads;
        this.timer = timer;
    }

    /** Before anything else, for every path and verb. */
    void greet(Context http) {
        ALWAYS.forEach(http::header);
        if (!VERBS.contains(http.req().getMethod())) {
            throw Refused.wrongMethod("only GET, POST, PUT, PATCH and DELETE are answered");
        }
        doorkeeper.greet(http);
    }

    void answer(Context http, Endpoint endpoint) {
        Visitor visitor;
        try {
            visitor = doorkeeper.identify(http, endpoint);
            http.attribute(VISITOR, visitor);
            Doorkeeper.authorise(visitor, endpoint);
            expectJson(http, endpoint);
        } catch (RuntimeException e) {
            write(http, endpoint, refusal(http, endpoint, e));
            return;
        }
        if (endpoint.body().isPresent()) {
            http.future(() -> finish(
                    http, endpoint, body(http).thenComposeAsync(body -> act(http, endpoint, visitor, body), threads)));
            return;
        }
        CompletableFuture<Reply> reply = act(http, endpoint, visitor, new byte[0]);
        if (reply.isDone() && !reply.isCompletedExceptionally() && reply.join().feed() == null) {
            write(http, endpoint, reply.join());
            return;
        }
        http.future(() -> finish(http, endpoint, reply));
    }

    /** For what was thrown on the way to a route: unknown paths, wrong verbs, strangers. */
    void refuse(Context http, Exception thrown) {
        Refused refused = thrown instanceof HttpResponseException known ? known(known) : Refused.of(thrown);
        write(http, "none", Reply.problem(refused));
    }

    private CompletableFuture<byte[]> body(Context http) {
        try {
            return BodyReader.read(
                    http.req(), limits.bodyBytes(), limits.requestTime().toMillis(), timer);
        } catch (IOException e) {
            return CompletableFuture.failedFuture(Refused.badRequest("the body could not be read"));
        }
    }

    private static CompletableFuture<Reply> act(Context http, Endpoint endpoint, Visitor visitor, byte[] body) {
        try {
            return endpoint.action().answer(new Call(http, endpoint, visitor, body));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Never on the thread that made the answer: that is the conductor's, and sockets are slow. */
    private CompletableFuture<Void> finish(Context http, Endpoint endpoint, CompletableFuture<Reply> coming) {
        return coming.handleAsync((reply, error) -> error == null ? reply : refusal(http, endpoint, error), threads)
                .thenCompose(reply -> send(http, endpoint, reply));
    }

    private CompletableFuture<Void> send(Context http, Endpoint endpoint, Reply reply) {
        write(http, endpoint, reply);
        Feed feed = reply.feed();
        try {
            return feed == null
                    ? CompletableFuture.allOf()
                    : streams.send(
                            http.res(),
                            feed,
                            feed instanceof LogFeed ? LOG_LOOK : null,
                            doorkeeper.standing(http.header("Authorization")));
        } catch (IOException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** What is refused is kept in the audit trail if it would have changed something. */
    private Reply refusal(Context http, Endpoint endpoint, Throwable error) {
        Refused refused = Refused.of(error);
        int status = refused.problem().status();
        if (endpoint.verb().changes() && status != 429) {
            Visitor visitor = http.attribute(VISITOR);
            Visitor who = visitor == null ? Visitor.unknown(Doorkeeper.from(http)) : visitor;
            ports.desk()
                    .note(
                            who.actor(),
                            endpoint.audit().action(),
                            target(http, endpoint),
                            "refused: " + status + " " + refused.problem().title());
        }
        return Reply.problem(refused);
    }

    private static String target(Context http, Endpoint endpoint) {
        String target = endpoint.audit().target();
        for (Map.Entry<String, String> part : http.pathParamMap().entrySet()) {
            target = target.replace("{" + part.getKey() + "}", Call.plain(part.getValue()));
        }
        return target;
    }

    private static void expectJson(Context http, Endpoint endpoint) {
        String type = http.contentType();
        if (endpoint.body().isPresent()
                && (type == null
                        || !type.split(";", 2)[0]
                                .strip()
                                .toLowerCase(Locale.ROOT)
                                .equals(Endpoint.JSON))) {
            throw Refused.wrongType("Content-Type (" + Call.plain(type) + ") must be " + Endpoint.JSON);
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
        if (reply.feed() == null) {
            http.result(new ByteArrayInputStream(reply.body()));
        }
        ports.meters().answered(route, reply.status());
    }

    private static Refused known(HttpResponseException e) {
        return switch (e.getStatus()) {
            case 404 -> Refused.notFound("there is no such path; /api/v1/docs lists them all");
            case 405 -> Refused.wrongMethod("this path does not answer this verb; /api/v1/docs lists what it answers");
            default -> Refused.badRequest("the request could not be understood");
        };
    }
}
