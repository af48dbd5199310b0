package dev.fermata.live.api;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fermata.core.policy.PolicySpec;
import dev.fermata.live.access.Role;
import dev.fermata.live.access.TokenBook;
import dev.fermata.live.conductor.Conductor;
import dev.fermata.live.conductor.ConductorSettings;
import dev.fermata.live.conductor.SteadyClock;
import dev.fermata.live.engine.LiveEngine;
import dev.fermata.live.engine.local.LocalEngine;
import dev.fermata.live.engine.local.LocalSettings;
import dev.fermata.live.engine.local.RunAs;
import dev.fermata.live.metrics.Meters;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.Stores;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said while nothing can be made durable, and before everything is recovered. */
class StuckTest {
    private static final String JOB = "{\"run\":\"true\",\"hold\":true}";

    @TempDir
    Path folder;

    private static ApiStage.Answer submit(ApiStage stage) {
        return stage.send(stage.request(stage.token(Role.USER), "/api/v1/jobs")
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", "the-one")
                .POST(BodyPublishers.ofString(JOB)));
    }

    @Test
    void aSubmissionThatIsStuckIsAnsweredAndMadeOnce() throws Exception {
        ApiSettings settings = ApiSettings.local(0).withStuckAfter(Duration.ofSeconds(1));
        try (ApiStage stage = new ApiStage(folder, settings)) {
            CompletableFuture<ApiStage.Answer> caught;
            try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("fermata.db"));
                    Statement statement = other.createStatement()) {
                statement.execute("BEGIN IMMEDIATE");
                caught = CompletableFuture.supplyAsync(() -> submit(stage));
                await().atMost(30, SECONDS)
                        .until(() -> stage.get(null, "/healthz").status() == 503);
                assertThat(stage.get(null, "/healthz").json().path("message").asText())
                        .contains("has not turned for");
                assertThat(stage.get(null, "/readyz").status()).isEqualTo(503);
                ApiStage.Answer answer = caught.get(30, SECONDS);
                assertThat(answer.status()).isEqualTo(503);
                assertThat(answer.header("Retry-After")).isNotEmpty();
                assertThat(answer.json().path("detail").asText())
                        .contains("within 10 s", "may still be accepted", "Idempotency-Key");
                statement.execute("ROLLBACK");
            }
            await().atMost(30, SECONDS).until(() -> stage.get(null, "/readyz").status() == 200);
            assertThat(stage.get(null, "/healthz").status()).isEqualTo(200);
            ApiStage.Answer again = submit(stage);
            assertThat(again.status()).isEqualTo(201);
            assertThat(again.json().path("ids").path(0).asLong()).isEqualTo(1);
            assertThat(stage.store.reader().job(2)).isEmpty();
        }
    }

    @Test
    void itIsNotReadyBeforeItHasRecovered() throws Exception {
        CountDownLatch recovered = new CountDownLatch(1);
        try (Store store = Stores.open("sqlite", folder);
                LocalEngine local = LocalEngine.of(
                        LocalSettings.in(folder).gpus("virtual:1").runAs(RunAs.DAEMON));
                Conductor conductor = new Conductor(
                        store,
                        opensWhen(recovered, local),
                        PolicySpec.parse("fifo"),
                        ConductorSettings.DEFAULT,
                        false,
                        new SteadyClock(),
                        new Meters())) {
            conductor.start();
            conductor.seated().join();
            TokenBook tokens = new TokenBook(store.tokens(), System::currentTimeMillis);
            ApiPorts ports = new ApiPorts(
                    conductor.desk(),
                    store,
                    tokens,
                    local.logs(),
                    new Meters(),
                    new ApiPorts.About("0.0-test", "local", "fifo", conductor.remarks()),
                    System::currentTimeMillis);
            try (ApiServer server = ApiServer.start(ApiSettings.local(0), ports)) {
                assertThat(get(server, "/readyz").statusCode()).isEqualTo(503);
                assertThat(get(server, "/readyz").body()).contains("RECOVERING");
                assertThat(get(server, "/healthz").statusCode()).isEqualTo(200);
                recovered.countDown();
                await().atMost(30, SECONDS).until(() -> get(server, "/readyz").statusCode() == 200);
            } finally {
                recovered.countDown();
            }
        }
    }

    /** The engine of this machine, which looks for its jobs only when it may. */
    private static LiveEngine opensWhen(CountDownLatch latch, LiveEngine behind) {
        return (LiveEngine) Proxy.newProxyInstance(
                StuckTest.class.getClassLoader(), new Class<?>[] {LiveEngine.class}, (proxy, method, args) -> {
                    if (method.getName().equals("open")) {
                        latch.await();
                    }
                    try {
                        return method.invoke(behind, args);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                });
    }

    private static HttpResponse<String> get(ApiServer server, String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(server.url() + path)).build(), BodyHandlers.ofString());
    }
}
