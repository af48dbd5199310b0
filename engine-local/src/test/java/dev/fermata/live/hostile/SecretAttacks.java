package dev.fermata.live.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.store.PostgresServer;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Attempts to learn secrets of others, and input that the daemon must not choke on. */
final class SecretAttacks {
    private static final String SECRET = "hunter2-do-not-tell";
    private static final String ODD = "{\"run\":\"true\",\"hold\":true,%s}";

    private SecretAttacks() {}

    static List<Attack> all() {
        return List.of(
                Attack.of("a viewer learns no command from profiles", "GET /profiles of a viewer", target -> {
                    long job = target.submit(
                            Person.ALICE,
                            "{\"run\":\"echo train_merger_acme.py --dataset=patients-2026 s3cr3t-positional\",\"env\":{\"MODEL\":\"project-zeus\"}}");
                    target.awaitEnd(job);
                    for (Person person : List.of(Person.VIEWER, Person.MALLORY)) {
                        assertThat(target.get(person, "/api/v1/profiles").body())
                                .doesNotContain("train_merger", "patients-2026", "s3cr3t", "project-zeus");
                        assertThat(target.get(person, "/api/v1/profiles?job=" + job)
                                        .status())
                                .isEqualTo(404);
                    }
                    assertThat(target.get(Person.ALICE, "/api/v1/profiles?job=" + job)
                                    .status())
                            .isEqualTo(200);
                }),
                new Attack(
                        "a failing store tells no secret",
                        "a secret in env while the table of specs is locked",
                        HostileSetup::postgres,
                        SecretAttacks::lockTheStore),
                Attack.of(
                        "a huge profile does not end the daemon",
                        "PUT /profiles with a command of 4,000 characters",
                        target -> assertThat(target.call(
                                                Person.OPERATOR,
                                                "PUT",
                                                "/api/v1/profiles",
                                                "{\"profiles\":[{\"command\":\"" + "é".repeat(2000)
                                                        + "\",\"gpuType\":\"V100\",\"gpus\":1}]}")
                                        .status())
                                .isEqualTo(400)),
                Attack.of(
                        "null in a list is no error of the daemon",
                        "{\"queues\":[null]}, {\"profiles\":[null]}",
                        target -> {
                            for (String list : List.of("queues", "profiles")) {
                                assertThat(target.call(
                                                        Person.OPERATOR,
                                                        "PUT",
                                                        "/api/v1/" + list,
                                                        "{\"" + list + "\":[null]}")
                                                .status())
                                        .isEqualTo(400);
                            }
                        }),
                Attack.of("names hide no control characters", "C1, bidi, zero and half characters in names", target -> {
                    for (String bad :
                            List.of("\\u009b", "\\u202e", "\\u0000", "\\u2066", "\\ud800", "\\u2028", "\\ufeff")) {
                        assertThat(target.call(
                                                Person.MALLORY,
                                                "POST",
                                                "/api/v1/jobs",
                                                ODD.formatted("\"name\":\"a" + bad + "b\""))
                                        .status())
                                .as(bad)
                                .isEqualTo(400);
                    }
                }),
                Attack.of("odd characters in env do not end the daemon", "zero and half characters in env", target -> {
                    for (String odd : List.of("\\u0000", "\\ud800", "\\udc00x", "\\uffff")) {
                        assertThat(target.call(
                                                Person.MALLORY,
                                                "POST",
                                                "/api/v1/jobs",
                                                ODD.formatted("\"env\":{\"A\":\"" + odd + "\"}"))
                                        .status())
                                .as(odd)
                                .isIn(201, 400, 422);
                    }
                }),
                Attack.of(
                        "a user makes no token for an admin",
                        "POST /tokens of a user",
                        target -> assertThat(target.call(
                                                Person.MALLORY,
                                                "POST",
                                                "/api/v1/tokens",
                                                "{\"user\":\"root\",\"role\":\"admin\"}")
                                        .status())
                                .isEqualTo(403)),
                Attack.of(
                        "a user replaces and revokes no token of others",
                        "rotate and DELETE of an admin's token",
                        target -> {
                            String id = target.get(Person.ADMIN, "/api/v1/whoami")
                                    .json()
                                    .path("tokenId")
                                    .asText();
                            assertThat(id).isNotEmpty();
                            assertThat(target.call(Person.MALLORY, "POST", "/api/v1/tokens/" + id + "/rotate", null)
                                            .status())
                                    .isEqualTo(404);
                            assertThat(target.call(Person.MALLORY, "DELETE", "/api/v1/tokens/" + id, null)
                                            .status())
                                    .isEqualTo(404);
                            assertThat(target.get(Person.MALLORY, "/api/v1/tokens")
                                            .body())
                                    .doesNotContain("\"admin\"");
                        }),
                Attack.of(
                        "a token is not exchanged for one with more rights",
                        "a viewer's token of the admin rotates the admin's own",
                        target -> {
                            String weak = target.call(
                                            Person.ADMIN,
                                            "POST",
                                            "/api/v1/tokens",
                                            "{\"user\":\"" + Person.ADMIN.user + "\",\"role\":\"viewer\"}")
                                    .json()
                                    .path("token")
                                    .asText();
                            String strong = target.get(Person.ADMIN, "/api/v1/whoami")
                                    .json()
                                    .path("tokenId")
                                    .asText();
                            assertThat(target.send(java.net.http.HttpRequest.newBuilder(target.url()
                                                            .resolve("/api/v1/tokens/" + strong + "/rotate"))
                                                    .timeout(HostileTarget.TIMEOUT)
                                                    .header("Authorization", "Bearer " + weak)
                                                    .POST(java.net.http.HttpRequest.BodyPublishers.noBody()))
                                            .status())
                                    .isEqualTo(404);
                        }),
                Attack.of(
                        "a long filter is answered",
                        "?user= of 500 characters",
                        target -> assertThat(target.get(Person.VIEWER, "/api/v1/jobs?user=" + "u".repeat(500))
                                        .status())
                                .isEqualTo(200)),
                Attack.of("a refused content type opens no stream", "Accept: text/event-stream;q=0", target -> {
                    HostileTarget.Answer answer = target.send(
                            java.net.http.HttpRequest.newBuilder(target.url().resolve("/api/v1/events"))
                                    .timeout(HostileTarget.TIMEOUT)
                                    .header("Authorization", "Bearer " + target.token(Person.VIEWER))
                                    .header("Accept", "text/event-stream;q=0"));
                    assertThat(answer.body()).startsWith("{");
                }));
    }

    private static void lockTheStore(HostileTarget target) throws Exception {
        try (Connection connection = PostgresServer.connect(target.store());
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("LOCK TABLE spec IN ACCESS EXCLUSIVE MODE");
            CompletableFuture<HostileTarget.Answer> hers = CompletableFuture.supplyAsync(() -> submitSecret(target));
            HostileTarget.Answer other = target.call(Person.MALLORY, "POST", "/api/v1/jobs", "{\"run\":\"true\"}");
            assertThat(other.body()).doesNotContain(SECRET);
            assertThat(hers.join().body()).doesNotContain(SECRET);
            org.awaitility.Awaitility.await().atMost(HostileTarget.TIMEOUT).until(() -> {
                String diag = target.get(Person.VIEWER, "/api/v1/diag").body();
                assertThat(diag).doesNotContain(SECRET);
                return diag.contains("DEGRADED");
            });
            connection.rollback();
        }
        org.awaitility.Awaitility.await()
                .atMost(HostileTarget.TIMEOUT)
                .until(() -> target.get(Person.VIEWER, "/api/v1/diag").body().contains("LEADING"));
        assertThat(Files.readString(target.errors().toPath())).doesNotContain(SECRET);
    }

    private static HostileTarget.Answer submitSecret(HostileTarget target) {
        try {
            return target.call(
                    Person.ALICE,
                    "POST",
                    "/api/v1/jobs",
                    "{\"run\":\"true\",\"env\":{\"WANDB_API_KEY\":\"" + SECRET
                            + "\"},\"secrets\":[\"WANDB_API_KEY\"]}");
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
