package dev.fermata.live.api;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.fermata.core.policy.PolicySpec;
import dev.fermata.engine.local.LocalEngine;
import dev.fermata.engine.local.LocalEngineSettings;
import dev.fermata.engine.local.RunAs;
import dev.fermata.live.access.Role;
import dev.fermata.live.access.TokenService;
import dev.fermata.live.engine.ExecutionEngine;
import dev.fermata.live.loop.LoopSettings;
import dev.fermata.live.loop.MonotonicClock;
import dev.fermata.live.loop.SchedulerLoop;
import dev.fermata.live.metrics.DaemonMetrics;
import dev.fermata.live.service.DefaultSchedulerService;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreFactory;
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

/** Responses while nothing can be made durable, and before the recovery is complete. */
class StuckDaemonTest {
    private static final String JOB = "{\"run\":\"true\",\"hold\":true}";

    @TempDir
    Path folder;

    private static ApiFixture.ApiResponse submit(ApiFixture fixture) {
        return fixture.send(fixture.request(fixture.token(Role.USER), "/api/v1/jobs")
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", "the-one")
                .POST(BodyPublishers.ofString(JOB)));
    }

    @Test
    void stuckSubmissionIsAnsweredAndStoredOnce() throws Exception {
        ApiSettings settings = ApiSettings.local(0).withStuckAfter(Duration.ofSeconds(1));
        try (ApiFixture fixture = new ApiFixture(folder, settings)) {
            CompletableFuture<ApiFixture.ApiResponse> caught;
            try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("fermata.db"));
                    Statement statement = other.createStatement()) {
                statement.execute("BEGIN IMMEDIATE");
                caught = CompletableFuture.supplyAsync(() -> submit(fixture));
                await().atMost(30, SECONDS)
                        .until(() -> fixture.get(null, "/healthz").status() == 503);
                assertThat(fixture.get(null, "/healthz").json().path("message").asText())
                        .contains("no scheduling cycle for");
                assertThat(fixture.get(null, "/readyz").status()).isEqualTo(503);
                ApiFixture.ApiResponse answer = caught.get(30, SECONDS);
                assertThat(answer.status()).isEqualTo(503);
                assertThat(answer.header("Retry-After")).isNotEmpty();
                assertThat(answer.json().path("detail").asText())
                        .contains("within 10 s", "may still be accepted", "Idempotency-Key");
                statement.execute("ROLLBACK");
            }
            await().atMost(30, SECONDS).until(() -> fixture.get(null, "/readyz").status() == 200);
            await().atMost(30, SECONDS)
                    .until(() -> fixture.get(null, "/healthz").status() == 200);
            ApiFixture.ApiResponse again = submit(fixture);
            assertThat(again.status()).isEqualTo(201);
            assertThat(again.json().path("ids").path(0).asLong()).isEqualTo(1);
            assertThat(fixture.store.reader().job(2)).isEmpty();
        }
    }

    @Test
    void daemonIsNotReadyBeforeRecovery() throws Exception {
        CountDownLatch recovered = new CountDownLatch(1);
        try (Store store = StoreFactory.open("sqlite", folder);
                LocalEngine local = LocalEngine.create(LocalEngineSettings.forDataFolder(folder)
                        .gpus("virtual:1")
                        .runAs(RunAs.DAEMON));
                SchedulerLoop loop = new SchedulerLoop(
                        store,
                        engineThatWaits("claim", recovered, local),
                        PolicySpec.parse("fifo"),
                        LoopSettings.DEFAULT,
                        false,
                        new MonotonicClock(),
                        new DaemonMetrics())) {
            loop.start();
            TokenService tokens = new TokenService(store.tokens(), System::currentTimeMillis);
            ApiPorts ports = new ApiPorts(
                    new DefaultSchedulerService(loop),
                    store,
                    tokens,
                    local.logs(),
                    local.reports(),
                    new DaemonMetrics(),
                    new ApiPorts.DaemonInfo("0.0-test", "local", "fifo", loop.engineNotices()),
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

    /** The local engine, which carries out this call only when it may. */
    private static ExecutionEngine engineThatWaits(String call, CountDownLatch latch, ExecutionEngine behind) {
        return (ExecutionEngine) Proxy.newProxyInstance(
                StuckDaemonTest.class.getClassLoader(),
                new Class<?>[] {ExecutionEngine.class},
                (proxy, method, args) -> {
                    if (method.getName().equals(call)) {
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
