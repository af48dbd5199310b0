package dev.fermata.live.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.live.access.Role;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The owner of a job decides which callers see, change and read it; secrets are never shown. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OwnershipTest {
    private static final String SECRET = "hunter2-do-not-tell";
    private static final String JOB = """
            {"name":"annsjob","gpus":1,"hold":true,"env":{"LR":"0.1","MY_KEYRING":"%s","WANDB_API_KEY":"%s"},
             "secrets":["MY_KEYRING"],"run":"echo private-command; sleep 600"}""".formatted(SECRET, SECRET);

    private ApiFixture fixture;
    private String ann = "";
    private String bob = "";

    @BeforeAll
    void open(@TempDir Path folder) {
        fixture = new ApiFixture(folder);
        ann = fixture.token("ann", Role.USER);
        bob = fixture.token("bob", Role.USER);
    }

    @AfterAll
    void close() {
        fixture.close();
    }

    @Test
    void otherUsersSeeOnlyTheQueueRow() {
        long id = fixture.submitJob(ann, JOB);
        for (String stranger : List.of(bob, fixture.token(Role.VIEWER))) {
            String list = fixture.get(stranger, "/api/v1/jobs").body();
            assertThat(list).contains("\"id\":" + id).contains("\"user\":\"ann\"");
            assertThat(list)
                    .doesNotContain("annsjob")
                    .doesNotContain("private-command")
                    .doesNotContain(SECRET);
            assertThat(fixture.get(stranger, "/api/v1/jobs?name=annsj").json().path("items"))
                    .isEmpty();
            for (String part : List.of("", "/explain", "/attempts", "/events", "/logs")) {
                int expected = part.equals("/logs") && !stranger.equals(bob) ? 403 : 404;
                assertThat(fixture.get(stranger, "/api/v1/jobs/" + id + part).status())
                        .as(part)
                        .isEqualTo(expected);
            }
            assertThat(fixture.get(stranger, "/api/v1/events").body()).doesNotContain("\"job\":" + id + ",");
        }
        Map<String, String> changes =
                Map.of("DELETE ", "", "POST /hold", "", "POST /release", "", "PATCH ", "{\"priority\":5}");
        changes.forEach((what, body) -> {
            String[] parts = what.split(" ", 2);
            assertThat(fixture.call(bob, parts[0], "/api/v1/jobs/" + id + parts[1], body.isEmpty() ? null : body)
                            .status())
                    .as(what)
                    .isEqualTo(404);
        });
        assertThat(fixture.get(ann, "/api/v1/jobs/" + id).json().path("state").asText())
                .isEqualTo("PENDING");
    }

    @Test
    void operatorsMayDoEverything() {
        long id = fixture.submitJob(ann, JOB);
        String operator = fixture.token(Role.OPERATOR);
        assertThat(fixture.get(operator, "/api/v1/jobs/" + id)
                        .json()
                        .path("name")
                        .asText())
                .isEqualTo("annsjob");
        assertThat(fixture.call(operator, "PATCH", "/api/v1/jobs/" + id, "{\"priority\":7}")
                        .status())
                .isEqualTo(204);
        assertThat(fixture.get(operator, "/api/v1/jobs/" + id)
                        .json()
                        .path("priority")
                        .asInt())
                .isEqualTo(7);
        assertThat(fixture.call(operator, "DELETE", "/api/v1/jobs/" + id, null).status())
                .isEqualTo(204);
        fixture.awaitState(id, "CANCELLED");
        assertThat(fixture.call(operator, "DELETE", "/api/v1/jobs/" + id, null).status())
                .isEqualTo(409);
    }

    @Test
    void noResponseShowsASecret() {
        long id = fixture.submitJob(ann, JOB);
        String admin = fixture.token(Role.ADMIN);
        JsonNode spec = fixture.get(ann, "/api/v1/jobs/" + id).json().path("spec");
        assertThat(spec.path("env").path("LR").asText()).isEqualTo("0.1");
        assertThat(spec.path("env").path("MY_KEYRING").asText()).isEqualTo("********");
        assertThat(spec.path("env").path("WANDB_API_KEY").asText()).isEqualTo("********");
        for (Endpoint endpoint : fixture.server.endpoints()) {
            if (endpoint.verb() == Endpoint.HttpVerb.GET) {
                String path = endpoint.path().replace("{id}", Long.toString(id));
                assertThat(fixture.get(admin, path).body()).as(path).doesNotContain(SECRET);
            }
        }
        assertThat(fixture.submit(ann, JOB.replace("\"gpus\":1", "\"gpus\":0")).body())
                .doesNotContain(SECRET);
        assertThat(fixture.submit(ann, JOB.replace("\"LR\":\"0.1\"", "\"LR\":[\"" + SECRET + "\"]"))
                        .body())
                .doesNotContain(SECRET);
        assertThat(fixture.submit(ann, JOB.substring(0, JOB.length() - 40)).body())
                .doesNotContain(SECRET);
    }

    @Test
    void everyChangeIsAuditedEvenWhenRejected() {
        long id = fixture.submitJob(ann, JOB);
        fixture.call(bob, "DELETE", "/api/v1/jobs/" + id, null);
        fixture.call(null, "DELETE", "/api/v1/jobs/" + id, null);
        fixture.call(fixture.token(Role.VIEWER), "POST", "/api/v1/nodes/0/drain", null);
        fixture.call(ann, "POST", "/api/v1/jobs", "{\"run\":\"x\",\"env\":{\"TOKEN\":\"" + SECRET + "\"},\"gpus\":-1}");
        fixture.call(ann, "DELETE", "/api/v1/jobs/" + id, null);
        Awaitility.await().atMost(ApiFixture.TIMEOUT).untilAsserted(() -> {
            String trail = fixture.get(fixture.token(Role.OPERATOR), "/api/v1/audit?limit=50")
                    .body();
            assertThat(trail).containsPattern("\"from\":\"127.0.0.1 token t[A-Za-z0-9]{8}\"");
            assertThat(trail.replaceAll(" token t[A-Za-z0-9]{8}\"", "\""))
                    .contains(
                            "\"user\":\"bob\",\"role\":\"USER\",\"from\":\"127.0.0.1\",\"action\":\"cancel\",\"target\":\"job "
                                    + id + "\",\"result\":\"refused: 404 Not found\"")
                    .contains("\"user\":\"\",\"role\":\"\",\"from\":\"127.0.0.1\",\"action\":\"cancel\"")
                    .contains(
                            "\"user\":\"the-viewer\",\"role\":\"VIEWER\",\"from\":\"127.0.0.1\",\"action\":\"drain\",\"target\":\"node 0\",\"result\":\"refused: 403")
                    .contains("\"action\":\"submit\",\"target\":\"\",\"result\":\"refused: 400")
                    .contains(
                            "\"user\":\"ann\",\"role\":\"USER\",\"from\":\"127.0.0.1\",\"action\":\"cancel\",\"target\":\"job "
                                    + id + "\",\"result\":\"granted\"")
                    .doesNotContain(SECRET);
        });
    }

    @Test
    void storeAddressIsShownToOperatorsOnly() {
        assertThat(fixture.get(bob, "/api/v1/diag").json().path("store").asText())
                .isEqualTo("sqlite");
        JsonNode diag =
                fixture.get(fixture.token(Role.OPERATOR), "/api/v1/diag").json();
        assertThat(diag.path("store").asText()).startsWith("sqlite:").contains(fixture.data.toString());
        assertThat(diag.path("pid").asLong()).isEqualTo(ProcessHandle.current().pid());
    }

    @Test
    void onlyOperatorsMayRaisePriorities() {
        String mine = fixture.token("modest", Role.USER);
        assertThat(fixture.submit(mine, "{\"hold\":true,\"priority\":1,\"run\":\"true\"}")
                        .status())
                .isEqualTo(403);
        long id = fixture.submitJob(mine, "{\"hold\":true,\"priority\":-1,\"run\":\"true\"}");
        var raised = fixture.call(mine, "PATCH", "/api/v1/jobs/" + id, "{\"priority\":1}");
        assertThat(raised.status()).isEqualTo(403);
        assertThat(raised.body()).contains("only operators");
        assertThat(fixture.call(mine, "PATCH", "/api/v1/jobs/" + id, "{\"priority\":0}")
                        .status())
                .isLessThan(300);
        assertThat(fixture.submit(fixture.token(Role.OPERATOR), "{\"hold\":true,\"priority\":1,\"run\":\"true\"}")
                        .status())
                .isEqualTo(201);
    }
}
