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

/** Streams of events and logs. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StreamTest {
    private ApiFixture fixture;
    private String user = "";

    @BeforeAll
    void open(@TempDir Path folder) {
        ApiSettings.Limits d = ApiSettings.Limits.DEFAULT;
        ApiSettings.Limits lively = d.withRate(new ApiSettings.RateLimits(
                        d.rate().requestsPerSecond(), 1e6, d.rate().connections(), 8))
                .withTimeouts(new ApiSettings.ApiTimeouts(
                        d.timeouts().requestTime(), d.timeouts().idle(), java.time.Duration.ofMillis(200)));
        fixture = new ApiFixture(folder, ApiSettings.local(0).withLimits(lively));
        user = fixture.token(Role.USER);
    }

    @AfterAll
    void close() {
        fixture.close();
    }

    /** The daemon notices a disconnect a moment later; until then there is room for fewer. */
    @AfterEach
    void awaitAllStreamsClosed() {
        Awaitility.await()
                .atMost(ApiFixture.TIMEOUT)
                .until(() ->
                        fixture.get(user, "/api/v1/diag").json().path("streams").asInt() == 0);
    }

    @Test
    void repeatedlyBrokenStreamMissesNothing() throws Exception {
        long from = fixture.service.health().lastSeq();
        Thread writer = new Thread(() -> {
            for (int i = 0; i < 60; i++) {
                fixture.submitJob(fixture.token(Role.OPERATOR), "{\"hold\":true,\"run\":\"true\"}");
            }
        });
        writer.start();
        List<Long> seen = new ArrayList<>();
        long last = from;
        while (seen.size() < 120) {
            // Each connection is closed after a few entries.
            try (InputStream in = events(fixture.token(Role.ADMIN), last)) {
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, UTF_8));
                for (int taken = 0; taken < 7 && seen.size() < 120; ) {
                    String entry = lines.readLine();
                    if (entry == null) {
                        break; // it was ended; the next one continues there
                    }
                    if (entry.startsWith("id: ")) {
                        last = Long.parseLong(entry.substring(4));
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
    void usersReceiveEventsOfTheirOwnJobsOnly() throws Exception {
        long last = fixture.service.health().lastSeq();
        fixture.submitJob(fixture.token("other", Role.USER), "{\"hold\":true,\"run\":\"true\"}");
        long mine = fixture.submitJob(user, "{\"hold\":true,\"run\":\"true\"}");
        fixture.submitJob(fixture.token("other", Role.USER), "{\"hold\":true,\"run\":\"true\"}");
        try (InputStream in = events(user, last)) {
            BufferedReader lines = new BufferedReader(new InputStreamReader(in, UTF_8));
            List<String> data = new ArrayList<>();
            int beats = 0;
            while (beats < 3) {
                String entry = lines.readLine();
                if (entry.startsWith("data: ")) {
                    data.add(entry);
                }
                beats += entry.startsWith(": alive") ? 1 : 0;
            }
            assertThat(data).isNotEmpty().allMatch(entry -> entry.contains("\"job\":" + mine + ","));
        }
    }

    @Test
    void eventsCanBeReadInPages() {
        fixture.submitJob(user, "{\"array\":\"0-19\",\"hold\":true,\"run\":\"true\"}");
        List<Long> seen = new ArrayList<>();
        String cursor = "0";
        while (!cursor.isEmpty()) {
            var page = fixture.get(fixture.token(Role.ADMIN), "/api/v1/events?limit=7&cursor=" + cursor)
                    .json();
            page.path("items").forEach(item -> seen.add(item.path("seq").asLong()));
            cursor = page.path("next").asText("");
        }
        assertThat(seen)
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, seen.size()).boxed().toList());
        assertThat(fixture.get(user, "/api/v1/events?since=yesterday").status()).isEqualTo(400);
        var submitted =
                fixture.get(user, "/api/v1/events?type=Submitted&limit=1000").json();
        assertThat(submitted.path("items"))
                .isNotEmpty()
                .allSatisfy(item -> assertThat(item.path("type").asText()).isEqualTo("Submitted"));
    }

    @Test
    void numberOfStreamsIsLimited() throws Exception {
        List<InputStream> open = new ArrayList<>();
        try {
            for (int i = 0; i < 8; i++) {
                open.add(events(user, 0));
            }
            var ninth = fixture.send(fixture.request(user, "/api/v1/events").header("Accept", "text/event-stream"));
            assertThat(ninth.status()).isEqualTo(429);
            assertThat(ninth.header("Retry-After")).isNotEmpty();
        } finally {
            for (InputStream in : open) {
                in.close();
            }
        }
    }

    @Test
    void logsAreReadWholePartiallyAndFollowed() throws Exception {
        long id = fixture.submitJob(
                user,
                "{\"run\":\"for i in 1 2 3 4 5; do echo line $i; done; echo oops >&2; while [ ! -e go ]; do sleep 0.05; done; echo last\"}");
        String logs = "/api/v1/jobs/" + id + "/logs";
        Awaitility.await()
                .atMost(ApiFixture.TIMEOUT)
                .until(() -> fixture.get(user, logs).body().contains("line 5"));
        assertThat(fixture.get(user, logs + "?tail=2").body()).isEqualTo("line 4\nline 5\n");
        assertThat(fixture.get(user, logs + "?tail=0").body()).isEmpty();
        assertThat(fixture.get(user, logs + "?tail=100").body()).startsWith("line 1\n");
        assertThat(fixture.get(user, logs + "?offset=7").body()).startsWith("line 2\n");
        assertThat(fixture.get(user, logs + "?tail=2").header("Fermata-Log-Offset"))
                .isEqualTo("21");
        assertThat(fixture.get(user, logs + "?stream=stderr").body()).isEqualTo("oops\n");
        HttpResponse<InputStream> following =
                fixture.client.send(fixture.request(user, logs + "?follow=true").build(), BodyHandlers.ofInputStream());
        BufferedReader lines = new BufferedReader(new InputStreamReader(following.body(), UTF_8));
        assertThat(lines.readLine()).isEqualTo("line 1");
        releaseJob(id);
        List<String> rest = lines.lines().toList();
        assertThat(rest).endsWith("last").hasSize(5);
        fixture.awaitState(id, "COMPLETED");
        assertThat(fixture.get(user, logs + "?follow=true&attempt=1").body()).endsWith("last\n");
        for (String wrong : List.of("stream=both", "attempt=0", "rank=-1", "offset=-1", "tail=x", "file=/etc/passwd")) {
            assertThat(fixture.get(user, logs + "?" + wrong).status()).as(wrong).isEqualTo(400);
        }
        assertThat(fixture.get(user, logs + "?attempt=7").status()).isEqualTo(404);
        assertThat(fixture.get(user, logs + "?rank=3").status()).isEqualTo(404);
    }

    @Test
    void symbolicLinkInPlaceOfALogIsNotFollowed() throws IOException {
        Path secret = Files.writeString(fixture.data.resolve("secret.txt"), "root:x:0:0");
        long id = fixture.submitJob(user, "{\"run\":\"echo harmless; sleep 600\"}");
        String logs = "/api/v1/jobs/" + id + "/logs";
        Awaitility.await()
                .atMost(ApiFixture.TIMEOUT)
                .until(() -> fixture.get(user, logs).body().contains("harmless"));
        try (var files = Files.walk(fixture.data.resolve("attempts").resolve(Long.toString(id)))) {
            for (Path file : files.filter(f -> String.valueOf(f.getFileName()).startsWith("stdout"))
                    .toList()) {
                Files.delete(file);
                Files.createSymbolicLink(file, secret);
            }
        }
        assertThat(fixture.get(user, logs).body()).doesNotContain("root:x");
        fixture.call(user, "DELETE", "/api/v1/jobs/" + id, null);
        fixture.awaitState(id, "CANCELLED");
    }

    @Test
    void revokedTokenClosesItsStreams() throws Exception {
        long id = fixture.submitJob(user, "{\"run\":\"echo begun; sleep 600\"}");
        String logs = "/api/v1/jobs/" + id + "/logs";
        Awaitility.await()
                .atMost(ApiFixture.TIMEOUT)
                .until(() -> fixture.get(user, logs).body().contains("begun"));
        var revoked = fixture.tokens.issue(ApiFixture.userOf(Role.USER), Role.USER, "", -1);
        InputStream events = events(revoked.token(), 0);
        InputStream following = fixture.client
                .send(fixture.request(revoked.token(), logs + "?follow=true").build(), BodyHandlers.ofInputStream())
                .body();
        InputStream expiring = events(
                fixture.tokens
                        .issue(ApiFixture.userOf(Role.USER), Role.USER, "", fixture.now() + 1_500)
                        .token(),
                0);
        InputStream others = events(user, 0);
        fixture.tokens.revoke(revoked.row().id());
        org.junit.jupiter.api.Assertions.assertTimeoutPreemptively(java.time.Duration.ofSeconds(20), () -> {
            events.readAllBytes();
            following.readAllBytes();
            expiring.readAllBytes();
        });
        assertThat(others.read()).as("another token's stream goes on").isNotNegative();
        others.close();
        fixture.call(user, "DELETE", "/api/v1/jobs/" + id, null);
        fixture.awaitState(id, "CANCELLED");
    }

    private void releaseJob(long id) throws IOException {
        try (var folders = Files.walk(fixture.data.resolve("attempts").resolve(Long.toString(id)))) {
            for (Path folder : folders.filter(Files::isDirectory).toList()) {
                Files.createFile(folder.resolve("go"));
            }
        }
    }

    private InputStream events(String token, long after) throws IOException, InterruptedException {
        HttpResponse<InputStream> response = fixture.client.send(
                fixture.request(token, "/api/v1/events")
                        .header("Accept", "text/event-stream")
                        .header("Last-Event-ID", Long.toString(after))
                        .build(),
                BodyHandlers.ofInputStream());
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Content-Type").orElse("")).startsWith("text/event-stream");
        return response.body();
    }
}
