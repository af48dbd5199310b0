package dev.fermata.live.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.live.access.Role;
import dev.fermata.live.access.TokenBook;
import dev.fermata.live.conductor.Actor;
import dev.fermata.live.conductor.Conductor;
import dev.fermata.live.conductor.ConductorSettings;
import dev.fermata.live.conductor.Pulse;
import dev.fermata.live.conductor.SteadyClock;
import dev.fermata.live.engine.local.LocalEngine;
import dev.fermata.live.engine.local.LocalSettings;
import dev.fermata.live.engine.local.RunAs;
import dev.fermata.live.metrics.Meters;
import dev.fermata.live.store.JobQuery;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.Stores;
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

/** A whole daemon in a folder: SQLite, the engine of this machine on virtual GPUs, the conductor, and its door. */
final class ApiStage implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(30);

    final Path data;
    final Store store;
    final LocalEngine engine;
    final Conductor conductor;
    final Meters meters = new Meters();
    /** How far the clock of the door is ahead. */
    final AtomicLong ahead = new AtomicLong();

    final TokenBook tokens;
    final ApiServer server;
    final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build();
    private final Map<Role, String> byRole = new EnumMap<>(Role.class);

    ApiStage(Path data) {
        this(data, ApiSettings.local(0));
    }

    ApiStage(Path data, ApiSettings settings) {
        this(data, settings, RunAs.DAEMON);
    }

    ApiStage(Path data, ApiSettings settings, RunAs runAs) {
        this.data = data;
        store = Stores.open("sqlite", data);
        engine = LocalEngine.of(LocalSettings.in(data).gpus("virtual:4").runAs(runAs));
        conductor = new Conductor(
                        store,
                        engine,
                        PolicySpec.parse("fermata"),
                        ConductorSettings.DEFAULT,
                        false,
                        new SteadyClock(),
                        meters)
                .start();
        tokens = new TokenBook(store.tokens(), this::now);
        server = start(settings);
        Awaitility.await().atMost(PATIENCE).until(() -> conductor.desk().pulse().phase() == Pulse.Phase.LEADING);
        for (Role role : Role.values()) {
            byRole.put(role, tokens.issue(userOf(role), role, "", -1).token());
        }
    }

    /** What was opened before is closed again if the door cannot be. */
    private ApiServer start(ApiSettings settings) {
        ApiPorts.About about = new ApiPorts.About("0.0-test", engine.name(), "fermata", engine.remarks());
        try {
            return ApiServer.start(
                    settings, new ApiPorts(conductor.desk(), store, tokens, engine.logs(), meters, about, this::now));
        } catch (RuntimeException e) {
            closeHouse();
            throw e;
        }
    }

    private void closeHouse() {
        conductor.close();
        engine.close();
        store.close();
    }

    long now() {
        return System.currentTimeMillis() + ahead.get();
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
                HttpRequest.newBuilder(URI.create(server.url() + path)).timeout(PATIENCE);
        return token == null ? builder : builder.header("Authorization", "Bearer " + token);
    }

    Answer send(HttpRequest.Builder request) {
        try {
            HttpResponse<String> response = client.send(request.build(), BodyHandlers.ofString());
            return new Answer(response.statusCode(), response.body(), response);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    Answer get(@Nullable String token, String path) {
        return send(request(token, path).GET());
    }

    Answer call(@Nullable String token, String verb, String path, @Nullable String body) {
        HttpRequest.Builder request = request(token, path);
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        return send(request.method(verb, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body)));
    }

    Answer submit(@Nullable String token, String body) {
        return call(token, "POST", "/api/v1/jobs", body);
    }

    /** Submits one job, or what else makes one, and gives its id. */
    long job(String token, String body) {
        Answer answer = submit(token, body);
        if (answer.status() != 201) {
            throw new AssertionError(answer.body());
        }
        return answer.json().path("ids").path(0).asLong();
    }

    void await(long job, String... states) {
        Awaitility.await()
                .atMost(PATIENCE)
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
                EnumSet.of(JobState.STARTING, JobState.RUNNING, JobState.PAUSING),
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
                .forEach(row -> conductor
                        .desk()
                        .cancel(tidy, row.id())
                        .exceptionally(e -> null)
                        .join());
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> store.reader().jobs(onGpus).rows().isEmpty());
    }

    @Override
    public void close() {
        endJobs();
        server.close();
        closeHouse();
    }

    /** What came back. */
    record Answer(int status, String body, HttpResponse<String> response) {
        JsonNode json() {
            return ApiJson.tree(body.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }

        String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }
    }
}
