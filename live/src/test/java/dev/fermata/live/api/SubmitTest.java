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

    private ApiStage stage;
    private String user = "";

    @BeforeAll
    void open(@TempDir Path folder) {
        stage = new ApiStage(folder);
        user = stage.token(Role.USER);
    }

    @AfterAll
    void close() {
        stage.close();
    }

    @Test
    void aJobRunsAndItsLifeCanBeRead() {
        ApiStage.Answer accepted =
                stage.submit(user, "{\"name\":\"hello\",\"run\":\"echo out; echo err >&2; exit 3\"}");
        assertThat(accepted.status()).isEqualTo(201);
        long id = accepted.json().path("ids").path(0).asLong();
        assertThat(accepted.header("Location")).isEqualTo("/api/v1/jobs/" + id);
        stage.await(id, "FAILED");
        JsonNode job = stage.get(user, "/api/v1/jobs/" + id).json();
        assertThat(job.path("final").asBoolean()).isTrue();
        assertThat(job.path("exitCode").asInt()).isEqualTo(3);
        assertThat(job.path("run").asText()).isEqualTo(id + ".1");
        assertThat(job.path("class").asText()).isEqualTo("batch");
        assertThat(job.path("submitted").asText()).matches("20\\d\\d-.*Z");
        assertThat(job.path("runs").path(0).path("outcome").asText()).isEqualTo("FAILED");
        assertThat(stage.get(user, "/api/v1/jobs/" + id + "/runs").json().path("items"))
                .hasSize(1);
        List<String> kinds =
                stage.get(user, "/api/v1/jobs/" + id + "/events").json().findValuesAsText("kind");
        assertThat(kinds).containsSubsequence("Submitted", "Started", "Running", "Left");
        assertThat(stage.get(user, "/api/v1/history?limit=1000")
                        .json()
                        .path("items")
                        .findValuesAsText("id"))
                .contains(Long.toString(id));
        assertThat(stage.get(user, "/api/v1/jobs/" + id + "/explain")
                        .json()
                        .path("state")
                        .asText())
                .isEqualTo("FAILED");
    }

    @Test
    void allMistakesAreNamedAtOnce() {
        JsonNode problem = stage.submit(
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
    void whatCanNeverRunIsRefusedAtTheDoor() {
        ApiStage.Answer refused = stage.submit(user, "{\"gpus\":5000,\"run\":\"true\"}");
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.json().path("detail").asText()).contains("5000");
    }

    @Test
    void aDryRunChangesNothing() {
        long before = stage.conductor.desk().pulse().lastSeq();
        ApiStage.Answer dry = stage.call(user, "POST", "/api/v1/jobs?dryRun=true", "{\"gpus\":1,\"run\":\"true\"}");
        assertThat(dry.status()).isEqualTo(200);
        assertThat(dry.json().path("feasible").asBoolean()).isTrue();
        ApiStage.Answer never =
                stage.call(user, "POST", "/api/v1/jobs?dryRun=true", "{\"gpus\":5000,\"run\":\"true\"}");
        assertThat(never.status() == 422 || !never.json().path("feasible").asBoolean(true))
                .isTrue();
        assertThat(stage.store.reader().counts().values().stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .isEqualTo(stage.get(user, "/api/v1/jobs?limit=1000")
                        .json()
                        .path("items")
                        .size());
        assertThat(before).isLessThanOrEqualTo(stage.conductor.desk().pulse().lastSeq());
    }

    @Test
    void aDryRunRefusesWhatASubmissionRefuses() {
        for (String wrong : List.of(
                "{\"run\":5}",
                "{\"run\":\"true\",\"priority\":1}",
                "{\"run\":\"true\",\"after\":[987654]}",
                "{\"run\":\"true\",\"workdir\":\"relative\"}",
                "{\"run\":\"true\",\"env\":{\"a-b\":\"1\"}}",
                "{\"jobs\":[]}")) {
            ApiStage.Answer submitted = stage.submit(user, wrong);
            ApiStage.Answer dry = stage.call(user, "POST", "/api/v1/jobs?dryRun=true", wrong);
            assertThat(submitted.status()).as(wrong).isBetween(400, 422);
            assertThat(dry.status()).as(wrong).isEqualTo(submitted.status());
            assertThat(dry.json()).as(wrong).isEqualTo(submitted.json());
        }
        var badKey = stage.request(user, "/api/v1/jobs?dryRun=true")
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", "k".repeat(129));
        assertThat(stage.send(badKey.POST(BodyPublishers.ofString(HELD))).status())
                .isEqualTo(400);
    }

    @Test
    void refusalsNameNeitherClassesNorValues() {
        String admin = stage.token(Role.ADMIN);
        for (String wrong : List.of(
                "{\"user\":\"ann\",\"role\":\"hunter2\"}",
                "{\"user\":{\"hunter2\":1}}",
                "{\"user\":\"ann\",\"role\":[\"hunter2\"]}",
                "{\"user\":7}",
                "{\"user\":\"ann\",\"label\":true}",
                "[]")) {
            ApiStage.Answer refused = stage.call(admin, "POST", "/api/v1/tokens", wrong);
            assertThat(refused.status()).as(wrong).isEqualTo(400);
            assertThat(refused.body())
                    .as(wrong)
                    .doesNotContain("fermata.live", "java.", "`", "hunter2", "deserialize", "Exception");
        }
        assertThat(stage.call(admin, "POST", "/api/v1/tokens", "{\"user\":\"ann\",\"role\":\"boss\"}")
                        .json()
                        .path("detail")
                        .asText())
                .isEqualTo("role must be one of viewer, user, operator, admin");
        assertThat(stage.call(admin, "PUT", "/api/v1/queues", "{\"queues\":[{\"path\":\"a\",\"weight\":\"2\"}]}")
                        .json()
                        .path("detail")
                        .asText())
                .isEqualTo("queues[0].weight must be a number, without quotes");
    }

    @Test
    void sixteenClientsWithOneKeyMakeOneJob() throws Exception {
        for (int round = 0; round < 5; round++) {
            String key = "key-" + round;
            ExecutorService clients = Executors.newFixedThreadPool(16);
            List<Callable<ApiStage.Answer>> calls = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                calls.add(() -> withKey(key, "{\"jobs\":[" + HELD + "," + HELD + "]}"));
            }
            Set<String> ids = new HashSet<>();
            for (Future<ApiStage.Answer> answer : clients.invokeAll(calls)) {
                assertThat(answer.get().status()).isEqualTo(201);
                ids.add(answer.get().json().path("ids").toString());
            }
            clients.shutdown();
            assertThat(ids).hasSize(1);
            assertThat(withKey(key, HELD).status()).isEqualTo(409);
        }
    }

    @Test
    void theKeyOfAnotherUserIsAnotherKey() {
        ApiStage.Answer mine = withKey("shared", HELD);
        var others = stage.request(stage.token(Role.OPERATOR), "/api/v1/jobs")
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", "shared");
        ApiStage.Answer theirs = stage.send(others.POST(BodyPublishers.ofString(HELD)));
        assertThat(theirs.json().path("ids")).isNotEqualTo(mine.json().path("ids"));
    }

    @Test
    void anArrayIsManyJobs() {
        JsonNode ids = stage.submit(user, "{\"array\":\"0-9%2\",\"hold\":true,\"run\":\"true\"}")
                .json()
                .path("ids");
        assertThat(ids).hasSize(10);
        JsonNode found = stage.get(user, "/api/v1/jobs?array=" + ids.get(0).asLong())
                .json()
                .path("items");
        assertThat(found).hasSize(10);
        assertThat(found.get(0).path("arrayIndex").asInt()).isEqualTo(9);
        assertThat(stage.submit(user, "{\"jobs\":[]}").status()).isEqualTo(400);
        assertThat(stage.submit(user, "{\"array\":\"0-99999\",\"run\":\"true\"}")
                        .status())
                .isEqualTo(400);
        String many = "{\"jobs\":[" + String.join(",", java.util.Collections.nCopies(10_001, HELD)) + "]}";
        assertThat(stage.submit(user, many).status()).isEqualTo(413);
    }

    @Test
    void pagesStayTrueWhileJobsArrive() throws InterruptedException {
        String queue = "paging";
        String body = "{\"queue\":\"paging\",\"hold\":true,\"run\":\"true\",\"array\":\"0-99\"}";
        Set<Long> before = new HashSet<>();
        stage.submit(user, body).json().path("ids").forEach(id -> before.add(id.asLong()));
        AtomicBoolean go = new AtomicBoolean(true);
        Thread writer = new Thread(() -> {
            while (go.get()) {
                stage.submit(user, "{\"queue\":\"paging\",\"hold\":true,\"run\":\"true\"}");
            }
        });
        writer.start();
        List<Long> seen = new ArrayList<>();
        String cursor = "";
        do {
            JsonNode page = stage.get(
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

    @Test
    void listsCanBeNarrowedAndAreBounded() {
        long id = stage.job(user, "{\"name\":\"narrow-me\",\"queue\":\"q/sub\",\"hold\":true,\"run\":\"true\"}");
        for (String filter : List.of(
                "state=PENDING",
                "state=live",
                "name=row-m",
                "queue=q",
                "queue=q/sub",
                "user=the-user",
                "reasons=true")) {
            assertThat(stage.get(user, "/api/v1/jobs?limit=1000&" + filter)
                            .json()
                            .path("items")
                            .findValuesAsText("id"))
                    .as(filter)
                    .contains(Long.toString(id));
        }
        for (String filter : List.of("state=RUNNING", "state=ended", "name=nope", "queue=q/s", "user=bob")) {
            assertThat(stage.get(user, "/api/v1/jobs?limit=1000&" + filter)
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
            assertThat(stage.get(user, "/api/v1/jobs?" + wrong).status())
                    .as(wrong)
                    .isEqualTo(400);
        }
        assertThat(stage.get(user, "/api/v1/jobs?reasons=true&name=narrow-me")
                        .json()
                        .path("items")
                        .path(0)
                        .path("reason")
                        .asText())
                .isEqualTo("HELD");
    }

    @Test
    void jobsAreHeldReleasedAndChanged() {
        long id = stage.job(user, "{\"hold\":true,\"run\":\"true\"}");
        assertThat(stage.call(
                                user,
                                "PATCH",
                                "/api/v1/jobs/" + id,
                                "{\"name\":\"new\",\"time\":\"4h\",\"queue\":\"other\"}")
                        .status())
                .isEqualTo(204);
        assertThat(stage.get(user, "/api/v1/jobs/" + id).json().path("name").asText())
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
            assertThat(stage.call(user, "PATCH", "/api/v1/jobs/" + id, wrong).status())
                    .as(wrong)
                    .isEqualTo(400);
        }
        assertThat(stage.call(user, "POST", "/api/v1/jobs/" + id + "/release", null)
                        .status())
                .isEqualTo(204);
        stage.await(id, "COMPLETED");
        assertThat(stage.call(user, "POST", "/api/v1/jobs/" + id + "/hold", null)
                        .status())
                .isEqualTo(409);
    }

    @Test
    void machinesAndQueuesAreShownAndSet() {
        String operator = stage.token(Role.OPERATOR);
        JsonNode node = stage.get(user, "/api/v1/nodes").json().path("items").path(0);
        assertThat(node.path("gpus")).hasSize(4);
        String name = node.path("name").asText();
        assertThat(stage.call(operator, "POST", "/api/v1/nodes/" + name + "/drain", null)
                        .status())
                .isEqualTo(204);
        assertThat(stage.get(user, "/api/v1/nodes")
                        .json()
                        .path("items")
                        .path(0)
                        .path("drained")
                        .asBoolean())
                .isTrue();
        assertThat(stage.call(operator, "POST", "/api/v1/nodes/0/undrain", null).status())
                .isEqualTo(204);
        assertThat(stage.call(operator, "POST", "/api/v1/nodes/none/drain", null)
                        .status())
                .isEqualTo(404);
        String rules =
                "{\"queues\":[{\"path\":\"research\",\"guarantee\":2,\"limit\":3},{\"path\":\"research/nlp\",\"weight\":2.5}]}";
        assertThat(stage.call(operator, "PUT", "/api/v1/queues", rules).status())
                .isEqualTo(204);
        JsonNode queues = stage.get(user, "/api/v1/queues").json().path("items");
        assertThat(queues.findValuesAsText("path")).contains("research", "research/nlp");
        for (String wrong : List.of(
                "{}",
                "{\"queues\":[{\"path\":\"\"}]}",
                "{\"queues\":[{\"path\":\"a\",\"guarantee\":-1}]}",
                "{\"queues\":[{\"path\":\"a\"},{\"path\":\"a\"}]}",
                "{\"queues\":[{\"path\":\"a\",\"limit\":1,\"guarantee\":2}]}",
                "{\"queues\":[{\"path\":\"a\",\"wait\":1}]}")) {
            assertThat(stage.call(operator, "PUT", "/api/v1/queues", wrong).status())
                    .as(wrong)
                    .isEqualTo(400);
        }
    }

    private ApiStage.Answer withKey(String key, String body) {
        return stage.send(stage.request(user, "/api/v1/jobs")
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", key)
                .POST(BodyPublishers.ofString(body)));
    }
}
