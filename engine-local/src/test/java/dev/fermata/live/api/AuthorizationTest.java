package dev.fermata.live.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.access.Role;
import dev.fermata.live.access.TokenService;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Every endpoint with every role and every type of invalid token. The list is the server's own, so no route is left out. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AuthorizationTest {
    private ApiFixture fixture;

    @BeforeAll
    void open(@TempDir Path folder) {
        ApiSettings.Limits d = ApiSettings.Limits.DEFAULT;
        ApiSettings.Limits patient = d.withRate(new ApiSettings.RateLimits(
                d.rate().requestsPerSecond(),
                1e6,
                d.rate().connections(),
                d.rate().streams()));
        fixture = new ApiFixture(folder, ApiSettings.local(0).withLimits(patient));
    }

    @AfterAll
    void close() {
        fixture.close();
    }

    @Test
    void everyEndpointRequiresItsRole() {
        List<String> wrong = new ArrayList<>();
        for (Endpoint endpoint : fixture.server.endpoints()) {
            for (Role role : Role.values()) {
                int status = call(endpoint, fixture.token(role)).status();
                boolean allowed = endpoint.role() == null || role.includes(endpoint.role());
                if (endpoint.forAttempt()) {
                    if (status != 401) {
                        wrong.add(endpoint.path() + " is for attempts alone, not for " + role);
                    }
                } else if (allowed ? status == 401 || status == 403 || status >= 500 : status != 403) {
                    wrong.add(endpoint.verb() + " " + endpoint.path() + " as " + role + ": " + status);
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void noEndpointAcceptsAnInvalidToken() {
        TokenService.IssuedToken revoked = fixture.tokens.issue("ann", Role.ADMIN, "", -1);
        assertThat(fixture.get(revoked.token(), "/api/v1/whoami").status()).isEqualTo(200);
        fixture.tokens.revoke(revoked.row().id());
        TokenService.IssuedToken expired = fixture.tokens.issue("ann", Role.ADMIN, "", fixture.now() - 1);
        List<String> bad = new ArrayList<>(List.of(
                "fm_" + "A".repeat(43),
                revoked.token(),
                expired.token(),
                "",
                "fm_",
                "x".repeat(5000),
                "admin",
                "Basic YTpi"));
        bad.add(fixture.token(Role.ADMIN).substring(0, 45) + "~");
        bad.add(fixture.token(Role.ADMIN) + "A");
        bad.add(fixture.store.tokens().all().get(0).sha256());
        List<String> wrong = new ArrayList<>();
        for (Endpoint endpoint : fixture.server.endpoints()) {
            if (endpoint.role() == null && !endpoint.forAttempt()) {
                continue;
            }
            for (String token : bad) {
                ApiFixture.ApiResponse answer = call(endpoint, token);
                if (answer.status() != 401 || !answer.header("WWW-Authenticate").startsWith("Bearer")) {
                    wrong.add(endpoint.verb() + " " + endpoint.path() + " with " + token + ": " + answer.status());
                }
            }
            if (call(endpoint, null).status() != 401) {
                wrong.add(endpoint.verb() + " " + endpoint.path() + " without a token");
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void tokenExpires() {
        TokenService.IssuedToken soon = fixture.tokens.issue("ann", Role.VIEWER, "", fixture.now() + 3_600_000);
        assertThat(fixture.get(soon.token(), "/api/v1/whoami").status()).isEqualTo(200);
        fixture.clockOffset.set(3_600_001);
        assertThat(fixture.get(soon.token(), "/api/v1/whoami").status()).isEqualTo(401);
        fixture.clockOffset.set(0);
    }

    @Test
    void storedTokensAreHashed() {
        fixture.store.tokens().all().forEach(row -> {
            assertThat(row.sha256()).matches("[0-9a-f]{64}");
            assertThat(row.toString()).doesNotContain("fm_");
        });
    }

    @Test
    void tokensAreIssuedShownOnceAndRevoked() {
        String admin = fixture.token(Role.ADMIN);
        ApiFixture.ApiResponse made = fixture.call(
                admin,
                "POST",
                "/api/v1/tokens",
                "{\"user\":\"bob\",\"role\":\"user\",\"label\":\"ci\",\"expires\":\"30d\"}");
        assertThat(made.status()).isEqualTo(201);
        String token = made.json().path("token").asText();
        assertThat(token).matches("fm_[A-Za-z0-9_-]{43}");
        assertThat(fixture.get(token, "/api/v1/whoami").json().path("role").asText())
                .isEqualTo("USER");
        assertThat(fixture.get(admin, "/api/v1/tokens").body())
                .contains("\"bob\"")
                .doesNotContain(token)
                .doesNotContain("sha256");
        String id = made.json().path("id").asText();
        assertThat(fixture.call(admin, "DELETE", "/api/v1/tokens/" + id, null).status())
                .isEqualTo(204);
        assertThat(fixture.get(token, "/api/v1/whoami").status()).isEqualTo(401);
        assertThat(fixture.call(admin, "DELETE", "/api/v1/tokens/" + id, null).status())
                .isEqualTo(404);
    }

    @Test
    void tokenWithoutRoleIsAViewerToken() {
        ApiFixture.ApiResponse made =
                fixture.call(fixture.token(Role.ADMIN), "POST", "/api/v1/tokens", "{\"user\":\"eve\"}");
        assertThat(made.json().path("role").asText()).isEqualTo("VIEWER");
        for (String wrong : List.of(
                "{}",
                "{\"user\":\"a b\"}",
                "{\"user\":\"x\",\"role\":\"root\"}",
                "{\"user\":\"x\",\"expires\":\"soon\"}",
                "{\"user\":\"x\",\"admin\":true}",
                "{\"user\":\"x\",\"label\":\"local client\"}",
                "[]",
                "{\"user\":\"a\\nb\"}")) {
            assertThat(fixture.call(fixture.token(Role.ADMIN), "POST", "/api/v1/tokens", wrong)
                            .status())
                    .as(wrong)
                    .isEqualTo(400);
        }
    }

    private ApiFixture.ApiResponse call(Endpoint endpoint, @org.jspecify.annotations.Nullable String token) {
        String path = endpoint.path()
                .replace("{id}", "999999")
                .replace("{name}", "no-such-node")
                .replace("{attempt}", "1.1");
        return fixture.call(
                token, endpoint.verb().name(), path, endpoint.body().isPresent() ? "{\"nonsense\":1}" : null);
    }
}
