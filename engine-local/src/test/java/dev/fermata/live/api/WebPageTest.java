package dev.fermata.live.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.live.access.Role;
import dev.fermata.live.api.ApiFixture.ApiResponse;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page is served to all, its data only to sessions with both halves. */
class WebPageTest {
    private static final Map<String, byte[]> FILES = Map.of(
            "index.html", "<script src=\"/ui/{hash}/app.js\"></script>".getBytes(UTF_8),
            "app.js", "export {}".getBytes(UTF_8));

    @TempDir
    private static Path folder;

    private static ApiFixture api;

    @BeforeAll
    static void start() {
        api = new ApiFixture(folder, FILES);
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    /** The halves of a new session: cookie, key. */
    private static String[] logIn(String proof) {
        ApiResponse answer = api.call(null, "POST", "/api/v1/session", proof);
        assertThat(answer.status()).as(answer.body()).isEqualTo(201);
        String cookie = answer.header("Set-Cookie");
        assertThat(cookie)
                .contains("; HttpOnly", "; SameSite=Strict", "; Path=/")
                .doesNotContain("Secure");
        return new String[] {
            cookie.substring(0, cookie.indexOf(';')), answer.json().path("key").asText()
        };
    }

    private static int whoami(String cookie, String key) {
        return api.send(api.request(null, "/api/v1/whoami")
                        .header("Cookie", cookie)
                        .header("Fermata-Key", key)
                        .GET())
                .status();
    }

    private static String token(Role role) {
        return "{\"token\":\"" + api.token(role) + "\"}";
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/login", "/jobs", "/jobs/12", "/pauses", "/shares", "/nodes", "/trust"})
    void everyViewIsTheShell(String path) {
        ApiResponse answer = api.get(null, path);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("Content-Type")).isEqualTo("text/html;charset=utf-8");
        assertThat(answer.header("Content-Security-Policy"))
                .contains("default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'")
                .doesNotContain("unsafe");
        assertThat(answer.header("Cache-Control")).isEqualTo("no-cache");
        assertThat(answer.body()).matches("(?s).*/ui/[0-9a-f]{16}/app.js.*");
    }

    @Test
    void filesAreKeptByBrowsersAndFoundUnderTheirHashOnly() {
        String path = api.get(null, "/").body().replaceAll("(?s).*(/ui/[0-9a-f]+/app.js).*", "$1");
        ApiResponse file = api.send(
                api.request(null, path).header("Accept-Encoding", "br, gzip").GET());

        assertThat(file.status()).isEqualTo(200);
        assertThat(file.header("Content-Type")).isEqualTo("text/javascript; charset=utf-8");
        assertThat(file.header("Content-Encoding")).isEqualTo("gzip");
        assertThat(file.header("Cache-Control")).contains("immutable");
        assertThat(api.get(null, path).body()).isEqualTo("export {}");
        assertThat(api.get(null, "/ui/0000000000000000/app.js").status()).isEqualTo(404);
        assertThat(api.get(null, path.replace("app.js", "other.js")).status()).isEqualTo(404);
    }

    @Test
    void aLinkOnAnotherSiteLeadsToViewsAndNothingElse() {
        assertThat(crossSite("/jobs/12", "navigate", "document")).isEqualTo(200);
        assertThat(crossSite("/jobs/12", "cors", "empty")).isEqualTo(403);
        assertThat(crossSite("/jobs/12", "navigate", "iframe")).isEqualTo(403);
        assertThat(crossSite("/api/v1/healthz", "navigate", "document")).isEqualTo(403);
        assertThat(crossSite("/api/v1/docs", "navigate", "document")).isEqualTo(403);
    }

    private static int crossSite(String path, String mode, String destination) {
        return api.send(api.request(null, path)
                        .header("Sec-Fetch-Site", "cross-site")
                        .header("Sec-Fetch-Mode", mode)
                        .header("Sec-Fetch-Dest", destination)
                        .GET())
                .status();
    }

    @Test
    void aSessionNeedsBothHalves() {
        String[] one = logIn(token(Role.USER));
        String[] other = logIn(token(Role.USER));

        assertThat(whoami(one[0], one[1])).isEqualTo(200);
        assertThat(whoami(one[0], "")).isEqualTo(401);
        assertThat(whoami("", one[1])).isEqualTo(401);
        assertThat(whoami(one[0], other[1])).isEqualTo(401);
    }

    @Test
    void loggingOutAndRevokingTheTokenEndASession() {
        String[] session = logIn(token(Role.USER));
        ApiResponse out = api.send(api.request(null, "/api/v1/session")
                .header("Cookie", session[0])
                .header("Fermata-Key", session[1])
                .DELETE());
        assertThat(out.status()).isEqualTo(204);
        assertThat(out.header("Set-Cookie")).contains("Max-Age=0");
        assertThat(whoami(session[0], session[1])).isEqualTo(401);

        var issued = api.tokens.issue("eve", Role.USER, "", -1);
        String[] eve = logIn("{\"token\":\"" + issued.token() + "\"}");
        assertThat(whoami(eve[0], eve[1])).isEqualTo(200);
        api.tokens.revoke(issued.row().id());
        assertThat(whoami(eve[0], eve[1])).isEqualTo(401);
    }

    @Test
    void aCodeLogsInOnceAndASessionMakesNeitherTokensNorCodes() {
        JsonNode code = api.call(api.token(Role.ADMIN), "POST", "/api/v1/session/code", null)
                .json();
        assertThat(code.path("url").asText())
                .isEqualTo(api.server.url() + "/login#code=" + code.path("code").asText());
        String proof = "{\"code\":\"" + code.path("code").asText() + "\"}";
        String[] session = logIn(proof);
        assertThat(api.call(null, "POST", "/api/v1/session", proof).status()).isEqualTo(401);

        for (String path : new String[] {"/api/v1/tokens", "/api/v1/session/code"}) {
            ApiResponse answer = api.send(api.request(null, path)
                    .header("Cookie", session[0])
                    .header("Fermata-Key", session[1])
                    .header("Content-Type", "application/json")
                    .POST(java.net.http.HttpRequest.BodyPublishers.ofString(
                            "{\"user\":\"mallory\",\"role\":\"ADMIN\"}")));
            assertThat(answer.status()).as(path).isEqualTo(403);
        }
    }

    @Test
    void aSessionHasTheRoleOfItsToken() {
        String[] session = logIn(token(Role.VIEWER));
        ApiResponse answer = api.send(api.request(null, "/api/v1/audit")
                .header("Cookie", session[0])
                .header("Fermata-Key", session[1])
                .GET());
        assertThat(answer.status()).isEqualTo(403);
    }

    @Test
    void theOverviewCostsNothingWhileNothingHappens() {
        ApiResponse first = api.get(api.token(Role.VIEWER), "/api/v1/overview");
        assertThat(first.json().path("gpus").path("free").asInt()).isEqualTo(4);
        assertThat(first.json().path("jobs").path("pending").asInt()).isZero();

        ApiResponse second = api.send(api.request(api.token(Role.VIEWER), "/api/v1/overview")
                .header("If-None-Match", first.header("ETag"))
                .GET());
        assertThat(second.status()).isEqualTo(304);
        assertThat(second.body()).isEmpty();
    }
}
