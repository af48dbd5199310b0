package dev.fermata.live.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.access.Role;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that no well-behaved client sends. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RequestGuardTest {
    private ApiFixture fixture;
    private String user = "";

    @BeforeAll
    void open(@TempDir Path folder) {
        fixture = new ApiFixture(folder);
        user = fixture.token(Role.USER);
    }

    @AfterAll
    void close() {
        fixture.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "evil.example",
                "evil.example:80",
                "127.0.0.1.evil.example",
                "localhost.evil.example",
                "169.254.169.254",
                "[::2]",
                "",
                "127.0.0.1@evil",
                "LOCALHOST.",
                "0.0.0.0"
            })
    void foreignHostIsRejected(String host) throws IOException {
        for (String verb : List.of(
                "GET /api/v1/jobs",
                "DELETE /api/v1/jobs/1",
                "POST /api/v1/jobs/1/hold",
                "GET /healthz",
                "PUT /nowhere")) {
            try (RawHttp raw = new RawHttp(fixture.server.port())) {
                int status = raw.send(
                                verb + " HTTP/1.1\r\nHost: " + host + "\r\nAuthorization: Bearer " + user + "\r\n\r\n")
                        .status();
                assertThat(status).as(verb + " for " + host).isIn(421, 400);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "localhost", "LOCALHOST:7070", "[::1]:80", "127.0.0.1:1"})
    void ownHostNamesAreAccepted(String host) throws IOException {
        try (RawHttp raw = new RawHttp(fixture.server.port())) {
            assertThat(raw.send("GET /healthz HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
                            .status())
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://evil.example",
                "http://evil.example",
                "null",
                "http://127.0.0.1:1",
                "http://localhost",
                "file://",
                "http://[",
                "http://127.0.0.1.evil.example"
            })
    void crossSiteRequestsAreRejectedForEveryVerb(String origin) {
        for (Endpoint endpoint : fixture.server.endpoints()) {
            String path =
                    endpoint.path().replace("{id}", "1").replace("{name}", "0").replace("{attempt}", "1.1");
            var request = fixture.request(fixture.token(Role.ADMIN), path)
                    .header("Origin", origin)
                    .header("Content-Type", "application/json")
                    .method(
                            endpoint.verb().name(),
                            BodyPublishers.ofString(endpoint.body().isPresent() ? "{}" : ""));
            ApiFixture.ApiResponse answer = fixture.send(request);
            assertThat(answer.status()).as(endpoint.path()).isEqualTo(403);
            assertThat(answer.header("Access-Control-Allow-Origin")).isEmpty();
        }
    }

    @Test
    void sameOriginRequestIsAccepted() {
        String origin = "http://127.0.0.1:" + fixture.server.port();
        assertThat(fixture.send(fixture.request(user, "/api/v1/jobs").header("Origin", origin))
                        .status())
                .isEqualTo(200);
        assertThat(fixture.send(fixture.request(user, "/api/v1/jobs").header("Sec-Fetch-Site", "cross-site"))
                        .status())
                .isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(strings = {"OPTIONS", "HEAD", "TRACE", "PROPFIND", "get"})
    void otherVerbsAreRejected(String verb) throws IOException {
        try (RawHttp raw = new RawHttp(fixture.server.port())) {
            assertThat(raw.send(verb + " /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + user
                                    + "\r\n\r\n")
                            .status())
                    .isIn(405, 400, 501);
        }
    }

    @Test
    void oversizedBodyIsNotReadToItsEnd() throws IOException {
        String head =
                "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer "
                        + user + "\r\n";
        try (RawHttp raw = new RawHttp(fixture.server.port())) {
            assertThat(raw.send(head + "Content-Length: 999999999\r\n\r\n{").status())
                    .isEqualTo(413);
        }
        try (RawHttp raw = new RawHttp(fixture.server.port())) {
            raw.send(head + "Transfer-Encoding: chunked\r\n\r\n");
            String chunk = "100000\r\n" + " ".repeat(0x100000) + "\r\n";
            int status = 0;
            try {
                for (int i = 0; i < 40; i++) {
                    raw.send(chunk);
                }
            } catch (IOException closed) {
                status = 413; // closed during the request, which is as good
            }
            assertThat(status == 0 ? raw.status() : status).isEqualTo(413);
        }
        assertThat(fixture.get(user, "/api/v1/jobs").status()).isEqualTo(200);
    }

    @Test
    void bodyWithoutTokenIsNotRead() throws IOException {
        try (RawHttp raw = new RawHttp(fixture.server.port())) {
            String head =
                    "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n";
            assertThat(raw.send(head).status()).isEqualTo(401);
        }
    }

    @Test
    void invalidJsonIsRejectedWithItsPosition() {
        for (String wrong : List.of(
                "",
                "{",
                "[",
                "nul",
                "{\"run\":\"a\"} x",
                "{\"run\":\"a\",\"run\":\"b\"}",
                "{\"run\":\"a\"",
                "\u0000",
                "[".repeat(100_000),
                "{\"a\":".repeat(5000),
                "{\"run\": 1e" + "9".repeat(1000) + "}",
                "'x'",
                "{run: x}")) {
            ApiFixture.ApiResponse answer = fixture.submit(user, wrong);
            String shown = wrong.substring(0, Math.min(20, wrong.length()));
            assertThat(answer.status()).as(shown).isEqualTo(400);
            assertThat(answer.header("Content-Type")).startsWith("application/problem+json");
            assertThat(answer.json().path("status").asInt()).isEqualTo(400);
            assertThat(answer.body())
                    .doesNotContain("Exception")
                    .doesNotContain("dev.fermata")
                    .doesNotContain("jackson");
        }
    }

    @Test
    void bodyNeedsTheJsonContentType() {
        for (String type : List.of(
                "text/plain",
                "application/x-www-form-urlencoded",
                "multipart/form-data",
                "application/yaml",
                "application/jsonx")) {
            assertThat(fixture.send(fixture.request(user, "/api/v1/jobs")
                                    .header("Content-Type", type)
                                    .POST(BodyPublishers.ofString("{\"run\":\"true\"}")))
                            .status())
                    .as(type)
                    .isEqualTo(415);
        }
        assertThat(fixture.send(fixture.request(user, "/api/v1/jobs?dryRun=true")
                                .header("Content-Type", "application/json; charset=utf-8")
                                .POST(BodyPublishers.ofString("{\"run\":\"true\"}")))
                        .status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/jobs/..%2f..%2fetc%2fpasswd/logs",
                "/api/v1/jobs/../../etc/passwd",
                "/api/v1/jobs/1/logs/../../../x",
                "/api/v1/jobs/%2e%2e/logs",
                "/api/v1/jobs/1%00/logs",
                "/api/v1/jobs/1;x=/logs",
                "//api/v1/jobs",
                "/api/v1//jobs",
                "/api/v1/jobs/-1/logs",
                "/api/v1/jobs/9999999999999999999999/logs",
                "/api/v1/jobs/1.5",
                "/api/v1/jobs/ann",
                "/%61pi/v1/../../",
                "/api/v1/nodes/..%5c..%5c/drain",
                "/.env",
                "/api/v1/jobs/1/logs?stream=../../x&attempt=1"
            })
    void oddPathsAreNotFound(String path) throws IOException {
        try (RawHttp raw = new RawHttp(fixture.server.port())) {
            String answer = raw.send("GET " + path
                            + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer " + user
                            + "\r\n\r\n")
                    .readAll();
            assertThat(Integer.parseInt(answer.split(" ", 3)[1])).as(answer).isIn(400, 404, 405);
            assertThat(answer)
                    .contains("application/problem+json")
                    .doesNotContain("root:")
                    .doesNotContain("Exception");
        }
    }

    @Test
    void headersCannotBeInjectedIntoResponses() {
        for (String value : List.of("a%0d%0aSet-Cookie:%20x=1", "a%0aX-Evil:%201")) {
            for (String path : List.of(
                    "/api/v1/jobs?user=" + value,
                    "/api/v1/jobs/" + value,
                    "/api/v1/nodes/" + value + "/x",
                    "/" + value)) {
                ApiFixture.ApiResponse answer = fixture.get(user, path);
                assertThat(answer.response().headers().map().keySet()).doesNotContain("set-cookie", "x-evil");
                assertThat(answer.status()).isIn(400, 404);
            }
        }
        var key = fixture.request(user, "/api/v1/jobs")
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", "a b");
        assertThat(fixture.send(key.POST(BodyPublishers.ofString("{\"run\":\"true\"}")))
                        .status())
                .isEqualTo(400);
    }

    @Test
    void malformedHttpGetsAPlainResponse() throws IOException {
        for (String wrong : List.of(
                "HELLO\r\n\r\n",
                "GET / HTTP/9.9\r\n\r\n",
                "GET /api/v1/jobs HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + "y".repeat(40_000) + "\r\n\r\n",
                "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")) {
            try (RawHttp raw = new RawHttp(fixture.server.port())) {
                String answer = raw.send(wrong.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"))
                        .readAll();
                assertThat(answer)
                        .matches("(?s)HTTP/1.1 (4..|505) .*")
                        .doesNotContain("Exception")
                        .doesNotContain("jetty");
            } catch (java.net.SocketException reset) {
                assertThat(reset).hasMessageContaining("reset");
            }
        }
    }

    @Test
    void everyResponseHasSecurityHeaders() {
        for (String path : List.of("/healthz", "/api/v1/jobs", "/nowhere", "/api/v1/docs")) {
            ApiFixture.ApiResponse answer = fixture.get(user, path);
            assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(answer.header("X-Frame-Options")).isEqualTo("DENY");
            assertThat(answer.header("Cache-Control")).contains("no-store");
            assertThat(answer.header("Content-Security-Policy")).startsWith("default-src 'none'");
            assertThat(answer.header("Server")).isEmpty();
        }
    }
}
