package dev.fermata.live.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.access.Role;
import dev.fermata.live.access.TokenBook;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Every endpoint against every role and every kind of bad token. The list is the server's own, so no route can be left out. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RolesTest {
    private ApiStage stage;

    @BeforeAll
    void open(@TempDir Path folder) {
        ApiSettings.Limits d = ApiSettings.Limits.DEFAULT;
        ApiSettings.Limits patient = new ApiSettings.Limits(
                d.bodyBytes(),
                d.jobsPerRequest(),
                d.pageRows(),
                d.requestsPerSecond(),
                1e6,
                d.connections(),
                d.streams(),
                d.requestTime(),
                d.idle(),
                d.heartbeat());
        stage = new ApiStage(folder, ApiSettings.local(0).withLimits(patient));
    }

    @AfterAll
    void close() {
        stage.close();
    }

    @Test
    void everyEndpointAsksForItsRoleAndNoLess() {
        List<String> wrong = new ArrayList<>();
        for (Endpoint endpoint : stage.server.endpoints()) {
            for (Role role : Role.values()) {
                int status = call(endpoint, stage.token(role)).status();
                boolean allowed = endpoint.role() == null || role.covers(endpoint.role());
                if (allowed ? status == 401 || status == 403 || status >= 500 : status != 403) {
                    wrong.add(endpoint.verb() + " " + endpoint.path() + " as " + role + ": " + status);
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void noEndpointTakesABadToken() {
        TokenBook.Issued revoked = stage.tokens.issue("ann", Role.ADMIN, "", -1);
        assertThat(stage.get(revoked.token(), "/api/v1/whoami").status()).isEqualTo(200);
        stage.tokens.revoke(revoked.row().id());
        TokenBook.Issued expired = stage.tokens.issue("ann", Role.ADMIN, "", stage.now() - 1);
        List<String> bad = new ArrayList<>(List.of(
                "fm_" + "A".repeat(43),
                revoked.token(),
                expired.token(),
                "",
                "fm_",
                "x".repeat(5000),
                "admin",
                "Basic YTpi"));
        bad.add(stage.token(Role.ADMIN).substring(0, 45) + "~");
        bad.add(stage.token(Role.ADMIN) + "A");
        bad.add(stage.store.tokens().all().get(0).sha256());
        List<String> wrong = new ArrayList<>();
        for (Endpoint endpoint : stage.server.endpoints()) {
            if (endpoint.role() == null) {
                continue;
            }
            for (String token : bad) {
                ApiStage.Answer answer = call(endpoint, token);
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
    void aTokenEndsWhenItsTimeIsOver() {
        TokenBook.Issued soon = stage.tokens.issue("ann", Role.VIEWER, "", stage.now() + 3_600_000);
        assertThat(stage.get(soon.token(), "/api/v1/whoami").status()).isEqualTo(200);
        stage.ahead.set(3_600_001);
        assertThat(stage.get(soon.token(), "/api/v1/whoami").status()).isEqualTo(401);
        stage.ahead.set(0);
    }

    @Test
    void noStoredTokenIsTheToken() {
        stage.store.tokens().all().forEach(row -> {
            assertThat(row.sha256()).matches("[0-9a-f]{64}");
            assertThat(row.toString()).doesNotContain("fm_");
        });
    }

    @Test
    void tokensAreMadeShownOnceAndRevoked() {
        String admin = stage.token(Role.ADMIN);
        ApiStage.Answer made = stage.call(
                admin,
                "POST",
                "/api/v1/tokens",
                "{\"user\":\"bob\",\"role\":\"user\",\"label\":\"ci\",\"expires\":\"30d\"}");
        assertThat(made.status()).isEqualTo(201);
        String token = made.json().path("token").asText();
        assertThat(token).matches("fm_[A-Za-z0-9_-]{43}");
        assertThat(stage.get(token, "/api/v1/whoami").json().path("role").asText())
                .isEqualTo("USER");
        assertThat(stage.get(admin, "/api/v1/tokens").body())
                .contains("\"bob\"")
                .doesNotContain(token)
                .doesNotContain("sha256");
        String id = made.json().path("id").asText();
        assertThat(stage.call(admin, "DELETE", "/api/v1/tokens/" + id, null).status())
                .isEqualTo(204);
        assertThat(stage.get(token, "/api/v1/whoami").status()).isEqualTo(401);
        assertThat(stage.call(admin, "DELETE", "/api/v1/tokens/" + id, null).status())
                .isEqualTo(404);
    }

    @Test
    void aTokenForNobodyInParticularIsForTheLeast() {
        ApiStage.Answer made = stage.call(stage.token(Role.ADMIN), "POST", "/api/v1/tokens", "{\"user\":\"eve\"}");
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
            assertThat(stage.call(stage.token(Role.ADMIN), "POST", "/api/v1/tokens", wrong)
                            .status())
                    .as(wrong)
                    .isEqualTo(400);
        }
    }

    private ApiStage.Answer call(Endpoint endpoint, @org.jspecify.annotations.Nullable String token) {
        String path = endpoint.path().replace("{id}", "999999").replace("{name}", "no-such-node");
        return stage.call(token, endpoint.verb().name(), path, endpoint.body().isPresent() ? "{\"nonsense\":1}" : null);
    }
}
