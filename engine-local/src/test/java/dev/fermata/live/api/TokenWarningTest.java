package dev.fermata.live.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.engine.local.RunAs;
import dev.fermata.live.access.Role;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The issuer of a token receives the warnings that its owner would receive at the first submission. */
class TokenWarningTest {
    @TempDir
    Path folder;

    @Test
    void tokenWarnsExactlyWhenItsJobsWouldBeRejected() {
        try (ApiFixture fixture = new ApiFixture(folder, ApiSettings.local(0), RunAs.AUTO)) {
            String admin = fixture.token(Role.ADMIN);
            for (String user : List.of(System.getProperty("user.name"), "no-such-account")) {
                ApiFixture.ApiResponse issued =
                        fixture.call(admin, "POST", "/api/v1/tokens", "{\"user\":\"" + user + "\",\"role\":\"user\"}");
                if (issued.status() == 409) {
                    // Not root: a job of another user could do what the daemon can, so there is no such token.
                    assertThat(fixture.engine.separatesAccounts()).isFalse();
                    assertThat(user).isEqualTo("no-such-account");
                    assertThat(issued.body()).contains("--run-as daemon");
                    continue;
                }
                JsonNode made = issued.json();
                ApiFixture.ApiResponse submitted =
                        fixture.submit(made.path("token").asText(), "{\"run\":\"true\",\"hold\":true}");
                boolean exception = submitted.status() == 422;
                assertThat(made.path("warnings").size()).as(made.toString()).isEqualTo(exception ? 1 : 0);
                if (exception) {
                    assertThat(made.path("warnings").path(0).asText())
                            .contains(submitted.json().path("detail").asText());
                }
            }
            JsonNode viewer = fixture.call(
                            admin, "POST", "/api/v1/tokens", "{\"user\":\"no-such-account\",\"role\":\"viewer\"}")
                    .json();
            assertThat(viewer.path("warnings")).isEmpty();
            assertThat(fixture.call(admin, "POST", "/api/v1/tokens", "{\"user\":\"ann\",\"expires\":\"0s\"}")
                            .status())
                    .isEqualTo(400);
        }
    }
}
