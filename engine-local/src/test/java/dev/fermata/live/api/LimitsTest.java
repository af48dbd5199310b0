package dev.fermata.live.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.access.Role;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The limits of one client. */
class LimitsTest {
    @TempDir
    Path folder;

    private static ApiSettings.Limits limits(double perSecond, double failures, int connections, Duration requestTime) {
        ApiSettings.Limits d = ApiSettings.Limits.DEFAULT;
        return d.withRate(new ApiSettings.RateLimits(
                        perSecond, failures, connections, d.rate().streams()))
                .withTimeouts(new ApiSettings.ApiTimeouts(
                        requestTime, d.timeouts().idle(), d.timeouts().heartbeat()));
    }

    @Test
    void tokenOverTheRateLimitGetsRetryAfter() {
        try (ApiFixture fixture =
                new ApiFixture(folder, ApiSettings.local(0).withLimits(limits(5, 100, 100, Duration.ofSeconds(20))))) {
            String busy = fixture.token(Role.VIEWER);
            ApiFixture.ApiResponse last = fixture.get(busy, "/api/v1/whoami");
            for (int i = 0; i < 500 && last.status() == 200; i++) {
                last = fixture.get(busy, "/api/v1/whoami");
            }
            assertThat(last.status()).isEqualTo(429);
            assertThat(Integer.parseInt(last.header("Retry-After"))).isPositive();
            assertThat(fixture.get(fixture.token(Role.USER), "/api/v1/whoami").status())
                    .isEqualTo(200);
        }
    }

    @Test
    void floodWithoutTokenShutsOutOnlyStrangersAtItsAddress() {
        try (ApiFixture fixture =
                new ApiFixture(folder, ApiSettings.local(0).withLimits(limits(1, 1000, 100, Duration.ofSeconds(20))))) {
            String user = fixture.token(Role.USER);
            assertThat(fixture.get(user, "/api/v1/whoami").status()).isEqualTo(200);
            for (int round = 0; round < 10; round++) {
                int status = 200;
                for (int i = 0; i < 1000 && status == 200; i++) {
                    status = fixture.get(i % 2 == 0 ? null : "fm_" + "A".repeat(43), "/healthz")
                            .status();
                }
                assertThat(status).isEqualTo(429);
                assertThat(fixture.get(user, "/healthz").status()).isEqualTo(200);
            }
        }
    }

    @Test
    void invalidTokensAreThrottledAndValidOnesAreNot() {
        try (ApiFixture fixture =
                new ApiFixture(folder, ApiSettings.local(0).withLimits(limits(1000, 5, 100, Duration.ofSeconds(20))))) {
            List<Integer> statuses = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                statuses.add(fixture.get("fm_" + "A".repeat(43), "/api/v1/jobs").status());
            }
            assertThat(statuses.subList(0, 5)).containsOnly(401);
            assertThat(statuses.subList(5, 10)).contains(429);
            assertThat(fixture.get(fixture.token(Role.VIEWER), "/api/v1/jobs").status())
                    .isEqualTo(200);
        }
    }

    @Test
    void incompleteRequestIsDisconnected() throws IOException {
        try (ApiFixture fixture = new ApiFixture(
                folder, ApiSettings.local(0).withLimits(limits(1000, 100, 64, Duration.ofMillis(1500))))) {
            List<RawHttp> slow = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                slow.add(new RawHttp(fixture.server.port()).send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n"));
            }
            RawHttp body = new RawHttp(fixture.server.port())
                    .send(
                            "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\nAuthorization: Bearer "
                                    + fixture.token(Role.USER) + "\r\n\r\n{");
            assertThat(fixture.get(null, "/healthz").status()).isEqualTo(200);
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .pollInterval(Duration.ofMillis(300))
                    .until(() -> slow.stream()
                            .filter(one -> !isDisconnected(one))
                            .toList()
                            .isEmpty());
            for (RawHttp one : slow) {
                one.close();
            }
            assertThat(body.status()).isEqualTo(408);
            body.close();
            assertThat(fixture.get(null, "/healthz").status()).isEqualTo(200);
        }
    }

    @Test
    void silentJobIsFollowedBeyondTheIdleTimeout() throws Exception {
        ApiSettings.Limits d = ApiSettings.Limits.DEFAULT;
        // The job is silent for longer than the idle timeout. The keep-alive interval is far shorter, so that a busy
        // machine does not miss it.
        ApiSettings.Limits hasty = d.withRate(
                        new ApiSettings.RateLimits(1000, 100, 64, d.rate().streams()))
                .withTimeouts(new ApiSettings.ApiTimeouts(
                        d.timeouts().requestTime(), Duration.ofSeconds(3), Duration.ofMillis(150)));
        try (ApiFixture fixture = new ApiFixture(folder, ApiSettings.local(0).withLimits(hasty))) {
            String user = fixture.token(Role.USER);
            long id = fixture.submitJob(user, "{\"run\":\"echo begin; sleep 6; echo end\"}");
            fixture.awaitState(id, "RUNNING");
            assertThat(fixture.get(user, "/api/v1/jobs/" + id + "/logs?follow=true")
                            .body())
                    .isEqualTo("begin\nend\n");
        }
    }

    /** Sends a byte, as a client that pretends to be busy. */
    private static boolean isDisconnected(RawHttp raw) {
        try {
            raw.send("x");
            return false;
        } catch (IOException e) {
            return true;
        }
    }
}
