package dev.fermata.live.api;

import io.javalin.http.Context;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.slf4j.MDC;

/**
 * The threads of the API besides those that read requests. Handlers wait for the store and for locks; they must never use up
 * the threads that answer {@code /healthz}.
 */
final class RequestThreads implements AutoCloseable {
    /** The header with the id of a request, by which log lines about it are found. */
    static final String REQUEST_ID = "X-Request-Id";

    /** Its name in log lines. */
    static final String LOG_FIELD = "request";

    private static final int HANDLERS = 32;
    private static final int WRITERS = 8;
    private static final int MAX_WAITING = 8192;

    private final ExecutorService handlerThreads = Executors.newFixedThreadPool(HANDLERS, factory("fermata-api"));
    private final ExecutorService writerThreads = Executors.newFixedThreadPool(WRITERS, factory("fermata-write"));
    private final FairExecutor handlers = new FairExecutor(handlerThreads, HANDLERS, MAX_WAITING);
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, factory("fermata-http-timer"));

    RequestThreads() {
        timer.setRemoveOnCancelPolicy(true);
    }

    static String newRequestId() {
        return String.format("%012x", ThreadLocalRandom.current().nextLong() >>> 16);
    }

    /** Runs it in the turn of the request's sender; log lines meanwhile name the request. */
    <T> CompletableFuture<T> supply(Context http, Supplier<T> action) {
        String id = id(http);
        try {
            return CompletableFuture.supplyAsync(() -> logged(id, action), handlers.of(sender(http)));
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(
                    ApiProblemException.tooManyRequests("too many requests are waiting", 1));
        }
    }

    static String id(Context http) {
        return http.res().getHeader(REQUEST_ID);
    }

    /** Runs it on this thread; log lines meanwhile name the request with this id. */
    static <T> T logged(String id, Supplier<T> action) {
        MDC.put(LOG_FIELD, id);
        try {
            return action.get();
        } finally {
            MDC.remove(LOG_FIELD);
        }
    }

    /** The token as it was sent: who that is may take a query to find out. */
    private static String sender(Context http) {
        String header = http.header("Authorization");
        return header == null ? RequestGuard.remoteAddress(http) : header;
    }

    /** For responses and streams. */
    Executor writers() {
        return writerThreads;
    }

    ScheduledExecutorService timer() {
        return timer;
    }

    @Override
    public void close() {
        timer.shutdownNow();
        handlerThreads.shutdown();
        writerThreads.shutdown();
    }

    private static ThreadFactory factory(String name) {
        return task -> {
            Thread thread = Executors.defaultThreadFactory().newThread(task);
            thread.setName(name);
            thread.setDaemon(true);
            return thread;
        };
    }
}
