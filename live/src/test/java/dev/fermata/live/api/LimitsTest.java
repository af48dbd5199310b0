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

/** What one client may take from the others. */
class LimitsTest {
    @TempDir
    Path folder;

    private static ApiSettings.Limits limits(double perSecond, double failures, int connections, Duration requestTime) {
        ApiSettings.Limits d = ApiSettings.Limits.DEFAULT;
        return new ApiSettings.Limits(
                d.bodyBytes(),
                d.jobsPerRequest(),
                d.pageRows(),
                perSecond,
                failures,
                connections,
                d.streams(),
                requestTime,
                d.idle(),
                d.heartbeat());
    }

    @Test
    void aTokenThatAsksTooOftenIsToldWhenToComeBack() {
        try (ApiStage stage =
                new ApiStage(folder, ApiSettings.local(0).withLimits(limits(5, 100, 100, Duration.ofSeconds(20))))) {
            String busy = stage.token(Role.VIEWER);
            ApiStage.Answer last = stage.get(busy, "/api/v1/whoami");
            for (int i = 0; i < 500 && last.status() == 200; i++) {
                last = stage.get(busy, "/api/v1/whoami");
            }
            assertThat(last.status()).isEqualTo(429);
            assertThat(Integer.parseInt(last.header("Retry-After"))).isPositive();
            assertThat(stage.get(stage.token(Role.USER), "/api/v1/whoami").status())
                    .isEqualTo(200);
        }
    }

    @Test
    void wrongTokensAreSlowedDownAndGoodOnesAreNot() {
        try (ApiStage stage =
                new ApiStage(folder, ApiSettings.local(0).withLimits(limits(1000, 5, 100, Duration.ofSeconds(20))))) {
            List<Integer> statuses = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                statuses.add(stage.get("fm_" + "A".repeat(43), "/api/v1/jobs").status());
            }
            assertThat(statuses.subList(0, 5)).containsOnly(401);
            assertThat(statuses.subList(5, 10)).contains(429);
            assertThat(stage.get(stage.token(Role.VIEWER), "/api/v1/jobs").status())
                    .isEqualTo(200);
        }
    }

    @Test
    void aRequestThatNeverArrivesIsHungUpOn() throws IOException {
        try (ApiStage stage =
                new ApiStage(folder, ApiSettings.local(0).withLimits(limits(1000, 100, 64, Duration.ofMillis(1500))))) {
            List<RawHttp> slow = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                slow.add(new RawHttp(stage.server.port()).send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n"));
            }
            RawHttp body = new RawHttp(stage.server.port())
                    .send(
                            "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\nAuthorization: Bearer "
                                    + stage.token(Role.USER) + "\r\n\r\n{");
            assertThat(stage.get(null, "/healthz").status()).isEqualTo(200);
            for (RawHttp one : slow) {
                Awaitility.await()
                        .atMost(Duration.ofSeconds(15))
                        .pollInterval(Duration.ofMillis(300))
                        .until(() -> hungUp(one));
                one.close();
            }
            assertThat(body.status()).isEqualTo(408);
            body.close();
            assertThat(stage.get(null, "/healthz").status()).isEqualTo(200);
        }
    }

    @Test
    void aQuietJobIsFollowedLongerThanAConnectionMayIdle() throws Exception {
        ApiSettings.Limits d = ApiSettings.Limits.DEFAULT;
        ApiSettings.Limits hasty = new ApiSettings.Limits(
                d.bodyBytes(),
                d.jobsPerRequest(),
                d.pageRows(),
                1000,
                100,
                64,
                d.streams(),
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                Duration.ofMillis(300));
        try (ApiStage stage = new ApiStage(folder, ApiSettings.local(0).withLimits(hasty))) {
            String user = stage.token(Role.USER);
            long id = stage.job(user, "{\"run\":\"echo begin; sleep 4; echo end\"}");
            stage.await(id, "RUNNING");
            assertThat(stage.get(user, "/api/v1/jobs/" + id + "/logs?follow=true")
                            .body())
                    .isEqualTo("begin\nend\n");
        }
    }

    /** Sends a byte, as somebody does who wants to look busy. */
    private static boolean hungUp(RawHttp raw) {
        try {
            raw.send("x");
            return false;
        } catch (IOException e) {
            return true;
        }
    }
}
