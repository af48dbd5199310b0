package dev.fermata.live.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.access.Role;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Streams: events and logs as they come. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StreamTest {
    private ApiStage stage;
    private String user = "";

    @BeforeAll
    void open(@TempDir Path folder) {
        ApiSettings.Limits d = ApiSettings.Limits.DEFAULT;
        ApiSettings.Limits lively = new ApiSettings.Limits(
                d.bodyBytes(),
                d.jobsPerRequest(),
                d.pageRows(),
                d.requestsPerSecond(),
                1e6,
                d.connections(),
                8,
                d.requestTime(),
                d.idle(),
                java.time.Duration.ofMillis(200));
        stage = new ApiStage(folder, ApiSettings.local(0).withLimits(lively));
        user = stage.token(Role.USER);
    }

    @AfterAll
    void close() {
        stage.close();
    }

    /** The daemon notices a moment later that somebody has gone; until then there is room for fewer. */
    @AfterEach
    void awaitTheEndOfAllStreams() {
        Awaitility.await()
                .atMost(ApiStage.PATIENCE)
                .until(() ->
                        stage.get(user, "/api/v1/diag").json().path("streams").asInt() == 0);
    }

    @Test
    void aStreamThatIsTornAgainAndAgainMissesNothing() throws Exception {
        long from = stage.conductor.desk().pulse().lastSeq();
        Thread writer = new Thread(() -> {
            for (int i = 0; i < 60; i++) {
                stage.job(stage.token(Role.OPERATOR), "{\"hold\":true,\"run\":\"true\"}");
            }
        });
        writer.start();
        List<Long> seen = new ArrayList<>();
        long last = from;
        while (seen.size() < 120) {
            // Each connection is left after a few lines, in the middle of things.
            try (InputStream in = events(stage.token(Role.ADMIN), last)) {
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, UTF_8));
                for (int taken = 0; taken < 7 && seen.size() < 120; ) {
                    String line = lines.readLine();
                    if (line == null) {
                        break; // it was ended; the next one goes on where it was
                    }
                    if (line.startsWith("id: ")) {
                        last = Long.parseLong(line.substring(4));
                        seen.add(last);
                        taken++;
                    }
                }
            }
        }
        writer.join();
        assertThat(seen)
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(from + 1, from + 120).boxed().toList());
    }

    @Test
    void usersHearOfTheirOwnJobsOnly() throws Exception {
        long last = stage.conductor.desk().pulse().lastSeq();
        stage.job(stage.token("somebody", Role.USER), "{\"hold\":true,\"run\":\"true\"}");
        long mine = stage.job(user, "{\"hold\":true,\"run\":\"true\"}");
        stage.job(stage.token("somebody", Role.USER), "{\"hold\":true,\"run\":\"true\"}");
        try (InputStream in = events(user, last)) {
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, UTF_8));
            List<String> data = new ArrayList<>();
            int beats = 0;
            while (beats < 3) {
                String line = lines.readLine();
                if (line.startsWith("data: ")) {
                    data.add(line);
                }
                beats += line.startsWith(": alive") ? 1 : 0;
            }
            assertThat(data).isNotEmpty().allMatch(line -> line.contains("\"job\":" + mine + ","));
        }
    }

    @Test
    void eventsCanBeReadInPages() {
        stage.job(user, "{\"array\":\"0-19\",\"hold\":true,\"run\":\"true\"}");
        List<Long> seen = new ArrayList<>();
        String cursor = "0";
        while (!cursor.isEmpty()) {
            var page = stage.get(stage.token(Role.ADMIN), "/api/v1/events?limit=7&cursor=" + cursor)
                    .json();
            page.path("items").forEach(item -> seen.add(item.path("seq").asLong()));
            cursor = page.path("next").asText("");
        }
        assertThat(seen)
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, seen.size()).boxed().toList());
        assertThat(stage.get(user, "/api/v1/events?since=yesterday").status()).isEqualTo(400);
        var submitted =
                stage.get(user, "/api/v1/events?kind=Submitted&limit=1000").json();
        assertThat(submitted.path("items"))
                .isNotEmpty()
                .allSatisfy(item -> assertThat(item.path("kind").asText()).isEqualTo("Submitted"));
    }

    @Test
    void thereAreOnlySoManyStreams() throws Exception {
        List<InputStream> open = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                open.add(events(user, 0));
            }
            var ninth = stage.send(stage.request(user, "/api/v1/events").header("Accept", "text/event-stream"));
            assertThat(ninth.status()).isEqualTo(429);
            assertThat(ninth.header("Retry-After")).isNotEmpty();
        } finally {
            for (InputStream in : open) {
                in.close();
            }
        }
    }

    @Test
    void logsAreReadWholeInPartsAndFollowed() throws Exception {
        long id = stage.job(
                user,
                "{\"run\":\"for i in 1 2 3 4 5; do echo line $i; done; echo oops >&2; while [ ! -e go ]; do sleep 0.05; done; echo last\"}");
        String logs = "/api/v1/jobs/" + id + "/logs";
        Awaitility.await()
                .atMost(ApiStage.PATIENCE)
                .until(() -> stage.get(user, logs).body().contains("line 5"));
        assertThat(stage.get(user, logs + "?tail=2").body()).isEqualTo("line 4\nline 5\n");
        assertThat(stage.get(user, logs + "?tail=0").body()).isEmpty();
        assertThat(stage.get(user, logs + "?tail=100").body()).startsWith("line 1\n");
        assertThat(stage.get(user, logs + "?offset=7").body()).startsWith("line 2\n");
        assertThat(stage.get(user, logs + "?tail=2").header("Fermata-Log-Offset"))
                .isEqualTo("21");
        assertThat(stage.get(user, logs + "?stream=stderr").body()).isEqualTo("oops\n");
        HttpResponse<InputStream> following =
                stage.client.send(stage.request(user, logs + "?follow=true").build(), BodyHandlers.ofInputStream());
        BufferedReader lines = new BufferedReader(new InputStreamReader(following.body(), UTF_8));
        assertThat(lines.readLine()).isEqualTo("line 1");
        letGo(id);
        List<String> rest = lines.lines().toList();
        assertThat(rest).endsWith("last").hasSize(5);
        stage.await(id, "COMPLETED");
        assertThat(stage.get(user, logs + "?follow=true&attempt=1").body()).endsWith("last\n");
        for (String wrong : List.of("stream=both", "attempt=0", "rank=-1", "offset=-1", "tail=x", "file=/etc/passwd")) {
            assertThat(stage.get(user, logs + "?" + wrong).status()).as(wrong).isEqualTo(400);
        }
        assertThat(stage.get(user, logs + "?attempt=7").status()).isEqualTo(404);
        assertThat(stage.get(user, logs + "?rank=3").status()).isEqualTo(404);
    }

    @Test
    void aLinkThatAJobPutsInPlaceOfItsLogLeadsNowhere() throws IOException {
        Path secret = Files.writeString(stage.data.resolve("secret.txt"), "root:x:0:0");
        long id = stage.job(user, "{\"run\":\"echo harmless; sleep 600\"}");
        String logs = "/api/v1/jobs/" + id + "/logs";
        Awaitility.await()
                .atMost(ApiStage.PATIENCE)
                .until(() -> stage.get(user, logs).body().contains("harmless"));
        try (var files = Files.walk(stage.data.resolve("runs").resolve(Long.toString(id)))) {
            for (Path file : files.filter(f -> String.valueOf(f.getFileName()).startsWith("stdout"))
                    .toList()) {
                Files.delete(file);
                Files.createSymbolicLink(file, secret);
            }
        }
        assertThat(stage.get(user, logs).body()).doesNotContain("root:x");
        stage.call(user, "DELETE", "/api/v1/jobs/" + id, null);
        stage.await(id, "CANCELLED");
    }

    @Test
    void aTokenTakesItsStreamsWithIt() throws Exception {
        long id = stage.job(user, "{\"run\":\"echo begun; sleep 600\"}");
        String logs = "/api/v1/jobs/" + id + "/logs";
        Awaitility.await()
                .atMost(ApiStage.PATIENCE)
                .until(() -> stage.get(user, logs).body().contains("begun"));
        var revoked = stage.tokens.issue(ApiStage.userOf(Role.USER), Role.USER, "", -1);
        InputStream events = events(revoked.token(), 0);
        InputStream following = stage.client
                .send(stage.request(revoked.token(), logs + "?follow=true").build(), BodyHandlers.ofInputStream())
                .body();
        InputStream expiring = events(
                stage.tokens
                        .issue(ApiStage.userOf(Role.USER), Role.USER, "", stage.now() + 1_500)
                        .token(),
                0);
        InputStream others = events(user, 0);
        stage.tokens.revoke(revoked.row().id());
        org.junit.jupiter.api.Assertions.assertTimeoutPreemptively(java.time.Duration.ofSeconds(20), () -> {
            events.readAllBytes();
            following.readAllBytes();
            expiring.readAllBytes();
        });
        assertThat(others.read()).as("another token's stream goes on").isNotNegative();
        others.close();
        stage.call(user, "DELETE", "/api/v1/jobs/" + id, null);
        stage.await(id, "CANCELLED");
    }

    private void letGo(long id) throws IOException {
        try (var folders = Files.walk(stage.data.resolve("runs").resolve(Long.toString(id)))) {
            for (Path folder : folders.filter(Files::isDirectory).toList()) {
                Files.createFile(folder.resolve("go"));
            }
        }
    }

    private InputStream events(String token, long after) throws IOException, InterruptedException {
        HttpResponse<InputStream> response = stage.client.send(
                stage.request(token, "/api/v1/events")
                        .header("Accept", "text/event-stream")
                        .header("Last-Event-ID", Long.toString(after))
                        .build(),
                BodyHandlers.ofInputStream());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type").orElse("")).startsWith("text/event-stream");
        return response.body();
    }
}
