package dev.fermata.live.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.live.access.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The API describes itself correctly: the OpenAPI document, the metrics, the dashboard. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OpenApiTest {
    private static final Pattern METRIC = Pattern.compile("\\b(fermata_[a-z_]+|jvm_[a-z_]+|process_[a-z_]+)");

    private ApiFixture fixture;

    @BeforeAll
    void open(@TempDir Path folder) {
        fixture = new ApiFixture(folder);
        long id = fixture.submitJob(fixture.token(Role.USER), "{\"run\":\"true\"}");
        fixture.awaitState(id, "COMPLETED");
        fixture.call(fixture.token(Role.OPERATOR), "PUT", "/api/v1/queues", "{\"queues\":[{\"path\":\"research\"}]}");
    }

    @AfterAll
    void close() {
        fixture.close();
    }

    @Test
    void documentHasExactlyTheRoutes() {
        JsonNode document = fixture.get(null, "/api/v1/openapi.json").json();
        assertThat(document.path("openapi").asText()).isEqualTo("3.1.0");
        Set<String> described = new TreeSet<>();
        document.path("paths")
                .properties()
                .forEach(path -> path.getValue()
                        .fieldNames()
                        .forEachRemaining(verb -> described.add(verb.toUpperCase(Locale.ROOT) + " " + path.getKey())));
        Set<String> there = new TreeSet<>();
        fixture.server.endpoints().forEach(endpoint -> there.add(endpoint.verb() + " " + endpoint.path()));
        assertThat(described).isEqualTo(there);
        for (Endpoint endpoint : fixture.server.endpoints()) {
            JsonNode operation = document.path("paths")
                    .path(endpoint.path())
                    .path(endpoint.verb().name().toLowerCase(Locale.ROOT));
            assertThat(operation.path("summary").asText()).isNotBlank();
            assertThat(operation.path("security").isMissingNode())
                    .isEqualTo(endpoint.role() == null && !endpoint.forAttempt());
            assertThat(operation.path("responses").has(Integer.toString(endpoint.success())))
                    .isTrue();
        }
        assertThat(document.findValuesAsText("operationId")).doesNotHaveDuplicates();
    }

    @Test
    void everyReferenceInTheDocumentResolves() {
        JsonNode document = fixture.get(null, "/api/v1/openapi.json").json();
        List<String> references = document.findValuesAsText("$ref");
        assertThat(references).isNotEmpty();
        references.forEach(ref -> assertThat(document.at(ref.substring(1)).isMissingNode())
                .as(ref)
                .isFalse());
    }

    @Test
    void everyResponseMatchesItsSchema() {
        JsonNode document = fixture.get(null, "/api/v1/openapi.json").json();
        String admin = fixture.token(Role.ADMIN);
        for (Endpoint endpoint : fixture.server.endpoints()) {
            if (endpoint.verb() == Endpoint.HttpVerb.GET && endpoint.respondsWithJson()) {
                JsonNode answer =
                        fixture.get(admin, endpoint.path().replace("{id}", "1")).json();
                JsonNode schema = document.path("paths")
                        .path(endpoint.path())
                        .path("get")
                        .path("responses")
                        .path("200")
                        .path("content")
                        .path("application/json")
                        .path("schema");
                assertThat(new SchemaCheck(document).problems(schema, answer))
                        .as(endpoint.path())
                        .isEmpty();
            }
        }
    }

    @Test
    void docsPageIsSelfContained() {
        String page = fixture.get(null, "/api/v1/docs").body();
        assertThat(page)
                .contains("/api/v1/jobs/{id}/logs")
                .doesNotContain("http://")
                .doesNotContain("https://")
                .doesNotContain("<script");
    }

    @Test
    void metricsNeedATokenUnlessOpen(@TempDir Path other) {
        assertThat(fixture.get(null, "/metrics").status()).isEqualTo(401);
        assertThat(fixture.get(fixture.token(Role.VIEWER), "/metrics").body())
                .contains("fermata_jobs{state=\"COMPLETED\"} 1.0")
                .contains("fermata_gpus{state=\"free\"} 4.0")
                .contains("fermata_ready 1.0")
                .contains("fermata_submitted_jobs_total 1.0")
                .contains("fermata_ended_jobs_total{state=\"COMPLETED\"} 1.0")
                .contains("fermata_append_seconds_count");
        try (ApiFixture opened = new ApiFixture(other, ApiSettings.local(0).withOpenMetrics())) {
            assertThat(opened.get(null, "/metrics").status()).isEqualTo(200);
        }
    }

    @Test
    void dashboardUsesExistingMetricsOnly() throws IOException {
        String dashboard = Files.readString(Path.of("").toAbsolutePath().resolve("../docs/grafana-dashboard.json"));
        JsonNode tree = ApiJson.tree(dashboard.getBytes(java.nio.charset.StandardCharsets.UTF_8));
        List<String> asked = new ArrayList<>();
        for (String expression : tree.findValuesAsText("expr")) {
            Matcher m = METRIC.matcher(expression);
            while (m.find()) {
                asked.add(m.group());
            }
        }
        String metrics = fixture.get(fixture.token(Role.VIEWER), "/metrics").body();
        // Metrics with labels exist after their first event.
        Set<String> there = new TreeSet<>();
        Matcher m = Pattern.compile("(?m)^(?:# (?:HELP|TYPE) )?([a-z_]+)").matcher(metrics);
        while (m.find()) {
            there.add(m.group(1));
        }
        assertThat(asked).isNotEmpty();
        assertThat(there).containsAll(asked);
    }

    @Test
    void daemonReportsHealthy() {
        assertThat(fixture.get(null, "/healthz").json().path("ok").asBoolean()).isTrue();
        assertThat(fixture.get(null, "/readyz").json().path("ok").asBoolean()).isTrue();
        assertThat(fixture.get(null, "/nowhere").json().path("type").asText())
                .isEqualTo("urn:fermata:problem:not-found");
    }
}
