package dev.fermata.app.bench;

import dev.fermata.live.Daemon;
import dev.fermata.live.DaemonSettings;
import dev.fermata.live.access.Role;
import dev.fermata.live.api.ApiSettings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Submissions to a whole daemon over HTTP, each answered when it is durable. The jobs are on hold: nothing is started. */
public final class SubmitSpeed implements AutoCloseable {
    private static final String JOB = "{\"name\":\"bench\",\"hold\":true,\"run\":\"true\"}";

    /** What was measured: jobs that were accepted, in how long, and how long each request took. */
    public record Result(int jobs, double seconds, Latencies latencies) {
        public double perSecond() {
            return jobs / seconds;
        }
    }

    private final Daemon daemon;
    private final String token;

    /** @param store {@code sqlite}, or the address of a database that may be written to */
    public SubmitSpeed(Path folder, String store) {
        daemon = Daemon.start(
                DaemonSettings.in(folder)
                        .withStore(store)
                        .withGpus("virtual:1")
                        .withRunAs("daemon")
                        .withApi(ApiSettings.local(0).withLimits(unlimited())),
                "bench");
        token = daemon.tokens().issue("bench", Role.USER, "bench", -1).token();
    }

    /** So many clients, each with a connection of its own, submit so many jobs in all, {@code together} in a request. */
    public Result measure(int clients, int jobs, int together) throws InterruptedException {
        String body = "{\"jobs\":[" + String.join(",", Collections.nCopies(together, JOB)) + "]}";
        AtomicInteger left = new AtomicInteger(jobs / together);
        AtomicInteger accepted = new AtomicInteger();
        AtomicReference<@Nullable Exception> trouble = new AtomicReference<>();
        Latencies latencies = new Latencies();
        long begin = System.nanoTime();
        Thread[] threads = new Thread[clients];
        for (int i = 0; i < clients; i++) {
            threads[i] = new Thread(
                    () -> {
                        try {
                            submit(body, together, left, accepted, latencies);
                        } catch (IOException | InterruptedException | RuntimeException e) {
                            trouble.set(e);
                        }
                    },
                    "bench-client-" + i);
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Exception e = trouble.get();
        if (e != null) {
            throw new IllegalStateException("a client failed: " + e.getMessage(), e);
        }
        return new Result(accepted.get(), (System.nanoTime() - begin) / 1e9, latencies);
    }

    private void submit(String body, int together, AtomicInteger left, AtomicInteger accepted, Latencies latencies)
            throws IOException, InterruptedException {
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        HttpRequest request = HttpRequest.newBuilder(URI.create(daemon.url() + "/api/v1/jobs"))
                .timeout(Duration.ofSeconds(60))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(body))
                .build();
        while (left.getAndDecrement() > 0) {
            long begin = System.nanoTime();
            var response = client.send(request, BodyHandlers.ofString());
            if (response.statusCode() != 201) {
                throw new IllegalStateException(response.body());
            }
            synchronized (latencies) {
                latencies.add(System.nanoTime() - begin);
            }
            accepted.addAndGet(together);
        }
    }

    private static ApiSettings.Limits unlimited() {
        ApiSettings.Limits d = ApiSettings.Limits.DEFAULT;
        return new ApiSettings.Limits(
                d.bodyBytes(),
                d.jobsPerRequest(),
                d.pageRows(),
                1e9,
                d.failuresPerMinute(),
                d.connections(),
                d.streams(),
                d.requestTime(),
                d.idle(),
                d.heartbeat());
    }

    @Override
    public void close() {
        daemon.close();
    }
}
