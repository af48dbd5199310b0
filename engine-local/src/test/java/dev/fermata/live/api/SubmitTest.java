package dev.fermata.live.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.live.access.Role;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Submissions and lists, through a real daemon. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SubmitTest {
    private static final String HELD = "{\"run\":\"true\",\"hold\":true}";

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

    @Test
    void jobRunsAndItsHistoryCanBeRead() {
        ApiFixture.ApiResponse accepted =
                fixture.submit(user, "{\"name\":\"hello\",\"run\":\"echo out; echo err >&2; exit 3\"}");
        assertThat(accepted.status()).isEqualTo(201);
        long id = accepted.json().path("ids").path(0).asLong();
        assertThat(accepted.header("Location")).isEqualTo("/api/v1/jobs/" + id);
        fixture.awaitState(id, "FAILED");
        JsonNode job = fixture.get(user, "/api/v1/jobs/" + id).json();
        assertThat(job.path("final").asBoolean()).isTrue();
        assertThat(job.path("exitCode").asInt()).isEqualTo(3);
        assertThat(job.path("attemptId").asText()).isEqualTo(id + ".1");
        assertThat(job.path("class").asText()).isEqualTo("batch");
        assertThat(job.path("submitted").asText()).matches("20\\d\\d-.*Z");
        assertThat(job.path("attempts").path(0).path("outcome").asText()).isEqualTo("FAILED");
        assertThat(fixture.get(user, "/api/v1/jobs/" + id + "/attempts").json().path("items"))
                .hasSize(1);
        List<String> kinds =
                fixture.get(user, "/api/v1/jobs/" + id + "/events").json().findValuesAsText("type");
        assertThat(kinds).containsSubsequence("Submitted", "Started", "Running", "AttemptEnded");
        assertThat(fixture.get(user, "/api/v1/history?limit=1000")
                        .json()
                        .path("items")
                        .findValuesAsText("id"))
                .contains(Long.toString(id));
        assertThat(fixture.get(user, "/api/v1/jobs/" + id + "/explain")
                        .json()
                        .path("state")
                        .asText())
                .isEqualTo("FAILED");
    }

    @Test
    void allProblemsAreReportedAtOnce() {
        JsonNode problem = fixture.submit(
                        user,
                        "{\"jobs\":[{\"run\":\"true\"},{\"gpus\":0,\"preempt\":{\"grace\":\"2x\"},\"quee\":\"a\",\"run\":\"\"}]}")
                .json();
        assertThat(problem.path("status").asInt()).isEqualTo(400);
        assertThat(problem.path("errors").findValuesAsText("path"))
                .containsExactlyInAnyOrder("jobs[1].gpus", "jobs[1].preempt.grace", "jobs[1].quee", "jobs[1].run");
        assertThat(problem.path("errors").toString())
                .contains("jobs[1].preempt.grace (2x) must be a time such as 90s")
                .contains("Did you mean 'queue'?");
    }

    @Test
    void unsatisfiableJobIsRejectedAtSubmission() {
        ApiFixture.ApiResponse exception = fixture.submit(user, "{\"gpus\":5000,\"run\":\"true\"}");
        assertThat(exception.status()).isEqualTo(422);
        assertThat(exception.json().path("detail").asText()).contains("5000");
    }

    @Test
    void dryRunChangesNothing() {
        long before = fixture.service.health().lastSeq();
        ApiFixture.ApiResponse dry =
                fixture.call(user, "POST", "/api/v1/jobs?dryRun=true", "{\"gpus\":1,\"run\":\"true\"}");
        assertThat(dry.status()).isEqualTo(200);
        assertThat(dry.json().path("feasible").asBoolean()).isTrue();
        ApiFixture.ApiResponse never =
                fixture.call(user, "POST", "/api/v1/jobs?dryRun=true", "{\"gpus\":5000,\"run\":\"true\"}");
        assertThat(never.status() == 422 || !never.json().path("feasible").asBoolean(true))
                .isTrue();
        assertThat(fixture.store.reader().countsByState().values().stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .isEqualTo(fixture.get(user, "/api/v1/jobs?limit=1000")
                        .json()
                        .path("items")
                        .size());
        assertThat(before).isLessThanOrEqualTo(fixture.service.health().lastSeq());
    }

    @Test
    void dryRunRejectsWhatSubmitRejects() {
        for (String wrong : List.of(
                "{\"run\":5}",
                "{\"run\":\"true\",\"priority\":1}",
                "{\"run\":\"true\",\"after\":[987654]}",
                "{\"run\":\"true\",\"workdir\":\"relative\"}",
                "{\"run\":\"true\",\"env\":{\"a-b\":\"1\"}}",
                "{\"jobs\":[]}")) {
            ApiFixture.ApiResponse submitted = fixture.submit(user, wrong);
            ApiFixture.ApiResponse dry = fixture.call(user, "POST", "/api/v1/jobs?dryRun=true", wrong);
            assertThat(submitted.status()).as(wrong).isBetween(400, 422);
            assertThat(dry.status()).as(wrong).isEqualTo(submitted.status());
            assertThat(dry.json()).as(wrong).isEqualTo(submitted.json());
        }
        var badKey = fixture.request(user, "/api/v1/jobs?dryRun=true")
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", "k".repeat(129));
        assertThat(fixture.send(badKey.POST(BodyPublishers.ofString(HELD))).status())
                .isEqualTo(400);
    }

    @Test
    void rejectionsNameNeitherClassesNorValues() {
        String admin = fixture.token(Role.ADMIN);
        for (String wrong : List.of(
                "{\"user\":\"ann\",\"role\":\"hunter2\"}",
                "{\"user\":{\"hunter2\":1}}",
                "{\"user\":\"ann\",\"role\":[\"hunter2\"]}",
                "{\"user\":7}",
                "{\"user\":\"ann\",\"label\":true}",
                "[]")) {
            ApiFixture.ApiResponse exception = fixture.call(admin, "POST", "/api/v1/tokens", wrong);
            assertThat(exception.status()).as(wrong).isEqualTo(400);
            assertThat(exception.body())
                    .as(wrong)
                    .doesNotContain("fermata.live", "java.", "`", "hunter2", "deserialize", "Exception");
        }
        assertThat(fixture.call(admin, "POST", "/api/v1/tokens", "{\"user\":\"ann\",\"role\":\"boss\"}")
                        .json()
                        .path("detail")
                        .asText())
                .isEqualTo("role must be one of viewer, user, operator, admin");
        assertThat(fixture.call(admin, "PUT", "/api/v1/queues", "{\"queues\":[{\"path\":\"a\",\"weight\":\"2\"}]}")
                        .json()
                        .path("detail")
                        .asText())
                .isEqualTo("queues[0].weight must be a number, without quotes");
    }

    @Test
    void sixteenClientsWithOneKeySubmitOneJob() throws Exception {
        for (int round = 0; round < 5; round++) {
            String key = "key-" + round;
            ExecutorService clients = Executors.newFixedThreadPool(16);
            List<Callable<ApiFixture.ApiResponse>> calls = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                calls.add(() -> withKey(key, "{\"jobs\":[" + HELD + "," + HELD + "]}"));
            }
            Set<String> ids = new HashSet<>();
            for (Future<ApiFixture.ApiResponse> answer : clients.invokeAll(calls)) {
                assertThat(answer.get().status()).isEqualTo(201);
                ids.add(answer.get().json().path("ids").toString());
            }
            clients.shutdown();
            assertThat(ids).hasSize(1);
            assertThat(withKey(key, HELD).status()).isEqualTo(409);
        }
    }

    @Test
    void idempotencyKeysAreSeparatePerUser() {
        ApiFixture.ApiResponse mine = withKey("shared", HELD);
        var others = fixture.request(fixture.token(Role.OPERATOR), "/api/v1/jobs")
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", "shared");
        ApiFixture.ApiResponse theirs = fixture.send(others.POST(BodyPublishers.ofString(HELD)));
        assertThat(theirs.json().path("ids")).isNotEqualTo(mine.json().path("ids"));
    }

    @Test
    void arrayIsManyJobs() {
        JsonNode ids = fixture.submit(user, "{\"array\":\"0-9%2\",\"hold\":true,\"run\":\"true\"}")
                .json()
                .path("ids");
        assertThat(ids).hasSize(10);
        JsonNode found = fixture.get(user, "/api/v1/jobs?array=" + ids.get(0).asLong())
                .json()
                .path("items");
        assertThat(found).hasSize(10);
        assertThat(found.get(0).path("arrayIndex").asInt()).isEqualTo(9);
        assertThat(fixture.submit(user, "{\"jobs\":[]}").status()).isEqualTo(400);
        assertThat(fixture.submit(user, "{\"array\":\"0-99999\",\"run\":\"true\"}")
                        .status())
                .isEqualTo(400);
        String many = "{\"jobs\":[" + String.join(",", java.util.Collections.nCopies(10_001, HELD)) + "]}";
        assertThat(fixture.submit(user, many).status()).isEqualTo(413);
    }

    @Test
    void pagesStayConsistentWhileJobsArrive() throws InterruptedException {
        String queue = "paging";
        String body = "{\"queue\":\"paging\",\"hold\":true,\"run\":\"true\",\"array\":\"0-99\"}";
        Set<Long> before = new HashSet<>();
        fixture.submit(user, body).json().path("ids").forEach(id -> before.add(id.asLong()));
        AtomicBoolean go = new AtomicBoolean(true);
        Thread writer = new Thread(() -> {
            while (go.get()) {
                fixture.submit(user, "{\"queue\":\"paging\",\"hold\":true,\"run\":\"true\"}");
            }
        });
        writer.start();
        List<Long> seen = new ArrayList<>();
        String cursor = "";
        do {
            JsonNode page = fixture.get(
                            user, "/api/v1/jobs?limit=7&queue=" + queue + (cursor.isEmpty() ? "" : "&cursor=" + cursor))
                    .json();
            page.path("items").forEach(job -> seen.add(job.path("id").asLong()));
            cursor = page.path("next").asText("");
        } while (!cursor.isEmpty());
        go.set(false);
        writer.join();
        assertThat(seen)
                .doesNotHaveDuplicates()
                .isSortedAccordingTo(java.util.Comparator.reverseOrder())
                .containsAll(before);
    }

    /** Where no queue has a rule, a job may name any. */
    private void removeQueueRules() {
        assertThat(fixture.call(fixture.token(Role.OPERATOR), "PUT", "/api/v1/queues", "{\"queues\":[]}")
                        .status())
                .isEqualTo(204);
    }

    @Test
    void listsCanBeFilteredAndAreBounded() {
        removeQueueRules();
        long id =
                fixture.submitJob(user, "{\"name\":\"narrow-me\",\"queue\":\"q/sub\",\"hold\":true,\"run\":\"true\"}");
        for (String filter : List.of(
                "state=PENDING",
                "state=live",
                "name=row-m",
                "queue=q",
                "queue=q/sub",
                "user=the-user",
                "reasons=true")) {
            assertThat(fixture.get(user, "/api/v1/jobs?limit=1000&" + filter)
                            .json()
                            .path("items")
                            .findValuesAsText("id"))
                    .as(filter)
                    .contains(Long.toString(id));
        }
        for (String filter : List.of("state=RUNNING", "state=ended", "name=nope", "queue=q/s", "user=bob")) {
            assertThat(fixture.get(user, "/api/v1/jobs?limit=1000&" + filter)
                            .json()
                            .path("items")
                            .findValuesAsText("id"))
                    .as(filter)
                    .doesNotContain(Long.toString(id));
        }
        for (String wrong : List.of(
                "state=SLEEPING",
                "limit=0",
                "limit=1001",
                "limit=x",
                "cursor=abc",
                "stat=live",
                "array=-5",
                "reasons=maybe")) {
            assertThat(fixture.get(user, "/api/v1/jobs?" + wrong).status())
                    .as(wrong)
                    .isEqualTo(400);
        }
        assertThat(fixture.get(user, "/api/v1/jobs?reasons=true&name=narrow-me")
                        .json()
                        .path("items")
                        .path(0)
                        .path("reason")
                        .asText())
                .isEqualTo("HELD");
    }

    @Test
    void jobsAreHeldReleasedAndUpdated() {
        removeQueueRules();
        long id = fixture.submitJob(user, "{\"hold\":true,\"run\":\"true\"}");
        assertThat(fixture.call(
                                user,
                                "PATCH",
                                "/api/v1/jobs/" + id,
                                "{\"name\":\"new\",\"time\":\"4h\",\"queue\":\"other\"}")
                        .status())
                .isEqualTo(204);
        assertThat(fixture.get(user, "/api/v1/jobs/" + id).json().path("name").asText())
                .isEqualTo("new");
        for (String wrong : List.of(
                "{}",
                "{\"priority\":1000000}",
                "{\"time\":\"soon\"}",
                "{\"limit\":\"0s\"}",
                "{\"priority\":\"0\"}",
                "{\"name\":\"a\\u0007\"}",
                "{\"owner\":\"bob\"}",
                "{\"queue\":\"../x\"}")) {
            assertThat(fixture.call(user, "PATCH", "/api/v1/jobs/" + id, wrong).status())
                    .as(wrong)
                    .isEqualTo(400);
        }
        assertThat(fixture.call(user, "POST", "/api/v1/jobs/" + id + "/release", null)
                        .status())
                .isEqualTo(204);
        fixture.awaitState(id, "COMPLETED");
        assertThat(fixture.call(user, "POST", "/api/v1/jobs/" + id + "/hold", null)
                        .status())
                .isEqualTo(409);
    }

    @Test
    void nodesAndQueuesAreShownAndSet() {
        String operator = fixture.token(Role.OPERATOR);
        JsonNode node = fixture.get(user, "/api/v1/nodes").json().path("items").path(0);
        assertThat(node.path("gpus")).hasSize(4);
        String name = node.path("name").asText();
        assertThat(fixture.call(operator, "POST", "/api/v1/nodes/" + name + "/drain", null)
                        .status())
                .isEqualTo(204);
        assertThat(fixture.get(user, "/api/v1/nodes")
                        .json()
                        .path("items")
                        .path(0)
                        .path("drained")
                        .asBoolean())
                .isTrue();
        assertThat(fixture.call(operator, "POST", "/api/v1/nodes/0/undrain", null)
                        .status())
                .isEqualTo(204);
        assertThat(fixture.call(operator, "POST", "/api/v1/nodes/none/drain", null)
                        .status())
                .isEqualTo(404);
        String rules =
                "{\"queues\":[{\"path\":\"research\",\"guarantee\":2,\"limit\":3},{\"path\":\"research/nlp\",\"weight\":2.5}]}";
        assertThat(fixture.call(operator, "PUT", "/api/v1/queues", rules).status())
                .isEqualTo(204);
        JsonNode queues = fixture.get(user, "/api/v1/queues").json().path("items");
        assertThat(queues.findValuesAsText("path")).contains("research", "research/nlp");
        for (String wrong : List.of(
                "{}",
                "{\"queues\":[{\"path\":\"\"}]}",
                "{\"queues\":[{\"path\":\"a\",\"guarantee\":-1}]}",
                "{\"queues\":[{\"path\":\"a\"},{\"path\":\"a\"}]}",
                "{\"queues\":[{\"path\":\"a\",\"limit\":1,\"guarantee\":2}]}",
                "{\"queues\":[{\"path\":\"a\",\"wait\":1}]}")) {
            assertThat(fixture.call(operator, "PUT", "/api/v1/queues", wrong).status())
                    .as(wrong)
                    .isEqualTo(400);
        }
    }

    private ApiFixture.ApiResponse withKey(String key, String body) {
        return fixture.send(fixture.request(user, "/api/v1/jobs")
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", key)
                .POST(BodyPublishers.ofString(body)));
    }
}
