package dev.fermata.live.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.live.access.Role;
import dev.fermata.live.engine.local.RunAs;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whoever makes a token hears at once what its owner would hear at the first submission. */
class TokenWarningTest {
    @TempDir
    Path folder;

    @Test
    void aTokenWarnsWhenAndOnlyWhenItsJobsAreRefused() {
        try (ApiStage stage = new ApiStage(folder, ApiSettings.local(0), RunAs.AUTO)) {
            String admin = stage.token(Role.ADMIN);
            for (String user : List.of(System.getProperty("user.name"), "no-such-account")) {
                JsonNode made = stage.call(
                                admin, "POST", "/api/v1/tokens", "{\"user\":\"" + user + "\",\"role\":\"user\"}")
                        .json();
                ApiStage.Answer submitted =
                        stage.submit(made.path("token").asText(), "{\"run\":\"true\",\"hold\":true}");
                boolean refused = submitted.status() == 422;
                assertThat(made.path("warnings").size()).as(made.toString()).isEqualTo(refused ? 1 : 0);
                if (refused) {
                    assertThat(made.path("warnings").path(0).asText())
                            .contains(submitted.json().path("detail").asText());
                }
            }
            JsonNode viewer = stage.call(
                            admin, "POST", "/api/v1/tokens", "{\"user\":\"no-such-account\",\"role\":\"viewer\"}")
                    .json();
            assertThat(viewer.path("warnings")).isEmpty();
            assertThat(stage.call(admin, "POST", "/api/v1/tokens", "{\"user\":\"ann\",\"expires\":\"0s\"}")
                            .status())
                    .isEqualTo(400);
        }
    }
}
