package dev.fermata.live.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.engine.local.LocalEngine;
import dev.fermata.engine.local.LocalEngineSettings;
import dev.fermata.engine.local.RunAs;
import dev.fermata.live.access.Role;
import dev.fermata.live.access.TokenService;
import dev.fermata.live.engine.ReportInbox;
import dev.fermata.live.health.HealthStatus;
import dev.fermata.live.loop.LoopSettings;
import dev.fermata.live.loop.MonotonicClock;
import dev.fermata.live.loop.SchedulerLoop;
import dev.fermata.live.metrics.DaemonMetrics;
import dev.fermata.live.request.Actor;
import dev.fermata.live.service.DefaultSchedulerService;
import dev.fermata.live.service.SchedulerService;
import dev.fermata.live.store.JobQuery;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreFactory;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A whole daemon in a folder: SQLite, the local engine on virtual GPUs, the scheduler loop, and the API. */
final class ApiFixture implements AutoCloseable {
    static final Duration TIMEOUT = Duration.ofSeconds(30);

    final Path data;
    final Store store;
    final LocalEngine engine;
    final SchedulerLoop loop;
    final SchedulerService service;
    final DaemonMetrics metrics = new DaemonMetrics();
    /** How far the clock of the API is ahead. */
    final AtomicLong clockOffset = new AtomicLong();

    final TokenService tokens;
    final ApiServer server;
    final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build();
    private final Map<Role, String> byRole = new EnumMap<>(Role.class);

    ApiFixture(Path data) {
        this(data, ApiSettings.local(0));
    }

    ApiFixture(Path data, ApiSettings settings) {
        this(data, settings, RunAs.DAEMON);
    }

    /** With these files as the web page. */
    ApiFixture(Path data, Map<String, byte[]> page) {
        this(data, "sqlite", ApiSettings.local(0), RunAs.DAEMON, page);
    }

    /** On this store. */
    ApiFixture(Path data, String store) {
        this(data, store, ApiSettings.local(0), RunAs.DAEMON, Map.of());
    }

    ApiFixture(Path data, ApiSettings settings, RunAs runAs) {
        this(data, "sqlite", settings, runAs, Map.of());
    }

    private ApiFixture(Path data, String address, ApiSettings settings, RunAs runAs, Map<String, byte[]> page) {
        this.data = data;
        store = StoreFactory.open(address, data);
        engine = LocalEngine.create(
                LocalEngineSettings.forDataFolder(data).gpus("virtual:4").runAs(runAs));
        loop = new SchedulerLoop(
                        store,
                        engine,
                        PolicySpec.parse("fermata"),
                        LoopSettings.DEFAULT,
                        false,
                        new MonotonicClock(),
                        metrics)
                .start();
        service = new DefaultSchedulerService(loop);
        tokens = new TokenService(store.tokens(), this::now);
        server = start(settings, page);
        engine.reports().announce(new ReportInbox.ReportAddress(server.url(), settings.certificate()));
        Awaitility.await().atMost(TIMEOUT).until(() -> service.health().phase() == HealthStatus.DaemonPhase.LEADING);
        for (Role role : Role.values()) {
            byRole.put(role, tokens.issue(userOf(role), role, "", -1).token());
        }
    }

    /** What was opened before is closed again if the API server fails to start. */
    private ApiServer start(ApiSettings settings, Map<String, byte[]> page) {
        ApiPorts.DaemonInfo about =
                new ApiPorts.DaemonInfo("0.0-test", engine.name(), "fermata", engine.notices(), page);
        try {
            return ApiServer.start(
                    settings,
                    new ApiPorts(service, store, tokens, engine.logs(), engine.reports(), metrics, about, this::now));
        } catch (RuntimeException e) {
            closeDaemon();
            throw e;
        }
    }

    private void closeDaemon() {
        loop.close();
        engine.close();
        store.close();
    }

    long now() {
        return System.currentTimeMillis() + clockOffset.get();
    }

    static String userOf(Role role) {
        return "the-" + role.name().toLowerCase(java.util.Locale.ROOT);
    }

    String token(Role role) {
        return byRole.getOrDefault(role, "");
    }

    String token(String user, Role role) {
        return tokens.issue(user, role, "", -1).token();
    }

    HttpRequest.Builder request(@Nullable String token, String path) {
        HttpRequest.Builder builder =
                HttpRequest.newBuilder(URI.create(server.url() + path)).timeout(TIMEOUT);
        return token == null ? builder : builder.header("Authorization", "Bearer " + token);
    }

    ApiResponse send(HttpRequest.Builder request) {
        try {
            HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
            return new ApiResponse(response.statusCode(), response.body(), response);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    ApiResponse get(@Nullable String token, String path) {
        return send(request(token, path).GET());
    }

    ApiResponse call(@Nullable String token, String verb, String path, @Nullable String body) {
        HttpRequest.Builder request = request(token, path);
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        return send(request.method(verb, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body)));
    }

    ApiResponse submit(@Nullable String token, String body) {
        return call(token, "POST", "/api/v1/jobs", body);
    }

    /** Submits one document and returns the id of its job. */
    long submitJob(String token, String body) {
        ApiResponse answer = submit(token, body);
        if (answer.status() != 201) {
            throw new AssertionError(answer.body());
        }
        return answer.json().path("ids").path(0).asLong();
    }

    void awaitState(long job, String... states) {
        Awaitility.await()
                .atMost(TIMEOUT)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> List.of(states)
                        .contains(get(token(Role.ADMIN), "/api/v1/jobs/" + job)
                                .json()
                                .path("state")
                                .asText()));
    }

    /** Jobs outlive a daemon, but no test. */
    private void endJobs() {
        JobQuery onGpus = new JobQuery(
                EnumSet.of(JobState.STARTING, JobState.RUNNING, JobState.PREEMPTING),
                "",
                "",
                "",
                -1,
                Long.MAX_VALUE,
                1000);
        Actor tidy = new Actor("test", "ADMIN", "");
        store.reader()
                .jobs(onGpus)
                .rows()
                .forEach(row ->
                        service.cancel(tidy, row.id()).exceptionally(e -> null).join());
        Awaitility.await()
                .atMost(TIMEOUT)
                .until(() -> store.reader().jobs(onGpus).rows().isEmpty());
    }

    @Override
    public void close() {
        endJobs();
        server.close();
        closeDaemon();
    }

    /** The response. */
    record ApiResponse(int status, String body, HttpResponse<String> response) {
        JsonNode json() {
            return ApiJson.tree(body.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }

        String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }
    }
}
