package dev.fermata.live.api;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.fermata.live.access.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Reports by HTTP: what a job says counts as in its file, and its token opens nothing else. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpReportsTest {
    private static final String TRAINER = """
            import json, fermata
            state = {}
            def save(path): open(path, "w").write("x" * 64)
            def load(path): open(path).read()
            for step in fermata.steps(50, save=save, load=load, every=20):
                fermata.report(loss=1.0 / (step + 1))
            """;

    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private ApiFixture fixture;

    @BeforeAll
    void open(@TempDir Path temporary) throws IOException {
        folder = temporary;
        fixture = new ApiFixture(Files.createDirectory(folder.resolve("data")));
    }

    @AfterAll
    void close() {
        fixture.close();
    }

    private long submit(String run) {
        return fixture.submitJob(
                fixture.token(Role.USER),
                JsonNodeFactory.instance
                        .objectNode()
                        .put("gpus", 1)
                        .put("run", run)
                        .toString());
    }

    @AfterEach
    void cancelJobs() {
        String admin = fixture.token(Role.ADMIN);
        fixture.get(admin, "/api/v1/jobs?state=live")
                .json()
                .path("items")
                .forEach(job -> fixture.call(
                        admin, "DELETE", "/api/v1/jobs/" + job.path("id").asLong(), null));
        Awaitility.await()
                .atMost(ApiFixture.TIMEOUT)
                .until(() -> fixture.get(admin, "/api/v1/jobs?state=live")
                        .json()
                        .path("items")
                        .isEmpty());
    }

    /** A running job, and what it was told: its token and the address. */
    private record RunningJob(long id, String token, String url) {
        String path() {
            return "/api/v1/attempts/" + id + ".1/reports";
        }
    }

    private RunningJob startJob() throws IOException {
        Path told = Files.createTempFile(folder, "told", "");
        long job = submit("echo \"$FERMATA_REPORT_TOKEN $FERMATA_REPORT_URL\" >" + told + "; exec sleep 600");
        Awaitility.await().atMost(ApiFixture.TIMEOUT).until(() -> Files.size(told) > 0);
        fixture.awaitState(job, "RUNNING");
        String[] words = Files.readString(told).strip().split(" ");
        return new RunningJob(job, words[0], words[1]);
    }

    private int report(RunningJob job, @Nullable String token, String body) {
        return fixture.call(token, "POST", job.path(), body).status();
    }

    private JsonNode job(long id) {
        return fixture.get(fixture.token(Role.ADMIN), "/api/v1/jobs/" + id).json();
    }

    @Test
    void helperSaysTheSameByHttpAndByFile() {
        String script = "python3 - <<'END'\n" + TRAINER + "END\n";
        long byFile = submit(script);
        long byHttp = submit("unset FERMATA_REPORT\n" + script);
        fixture.awaitState(byFile, "COMPLETED");
        fixture.awaitState(byHttp, "COMPLETED");

        assertThat(types(byHttp)).isEqualTo(types(byFile)).contains("saved", "finished");
    }

    /** What the job itself reported, in order, each kind once; steps are thinned out by time. */
    private List<String> types(long id) {
        try (Stream<Path> files = Files.list(fixture.data.resolve("attempts/" + id + "/1"))) {
            return files.filter(file -> file.getFileName().toString().matches("report|report-received"))
                    .flatMap(file -> lines(file).stream())
                    .map(line ->
                            ApiJson.tree(line.getBytes(ISO_8859_1)).path("type").asText())
                    .distinct()
                    .toList();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void reportIsVisibleAtOnce() throws IOException {
        RunningJob job = startJob();
        assertThat(job.url()).isEqualTo(fixture.server.url());
        assertThat(report(job, job.token(), "{\"reports\":[{\"type\":\"step\",\"step\":7,\"total\":9},null,3,{}]}"))
                .isEqualTo(204);
        Awaitility.await()
                .atMost(ApiFixture.TIMEOUT)
                .until(() -> job(job.id()).path("progress").path("current").asInt() == 7);
    }

    @Test
    void tokenOpensOnlyItsOwnLiveAttempt() throws IOException {
        RunningJob one = startJob();
        RunningJob two = startJob();
        String body = "{\"reports\":[]}";

        assertThat(report(one, one.token(), body)).isEqualTo(204);
        assertThat(report(two, one.token(), body)).isEqualTo(401);
        assertThat(report(one, fixture.token(Role.ADMIN), body)).isEqualTo(401);
        assertThat(report(one, null, body)).isEqualTo(401);
        assertThat(fixture.get(one.token(), "/api/v1/jobs").status()).isEqualTo(401);
        assertThat(fixture.call(one.token(), "POST", "/api/v1/attempts/" + one.id() + ".2/reports", body)
                        .status())
                .isEqualTo(401);

        fixture.call(fixture.token(Role.USER), "DELETE", "/api/v1/jobs/" + one.id(), null);
        fixture.awaitState(one.id(), "CANCELLED");
        assertThat(report(one, one.token(), body)).as("it has ended").isEqualTo(401);
    }

    @Test
    void onlyTheJobKnowsItsToken() throws IOException {
        RunningJob job = startJob();
        report(job, job.token(), "{\"reports\":[{\"type\":\"hello\"}]}");
        String admin = fixture.token(Role.ADMIN);
        for (String path : List.of(
                "/api/v1/jobs/" + job.id(),
                "/api/v1/jobs/" + job.id() + "/attempts",
                "/api/v1/history",
                "/api/v1/audit")) {
            assertThat(fixture.get(admin, path).body()).as(path).doesNotContain(job.token());
        }
        List<String> found;
        try (Stream<Path> files = Files.walk(fixture.data)) {
            found = files.filter(Files::isRegularFile)
                    .filter(file -> contains(file, job.token()))
                    .map(file -> fixture.data.relativize(file).toString())
                    .toList();
        }
        assertThat(found).containsExactly("attempts/" + job.id() + "/1/env");
    }

    private static boolean contains(Path file, String text) {
        try {
            return new String(Files.readAllBytes(file), ISO_8859_1).contains(text);
        } catch (IOException e) {
            return false; // a file that is gone meanwhile
        }
    }

    @Test
    void sizeAndRateOfAJobAreLimited() throws IOException {
        RunningJob job = startJob();
        assertThat(report(job, job.token(), "{\"reports\":[\"" + "x".repeat(ReportRoutes.MAX_BYTES) + "\"]}"))
                .isEqualTo(413);
        assertThat(report(job, job.token(), "{\"reports\":[" + "0,".repeat(300) + "0]}"))
                .isEqualTo(400);
        assertThat(report(job, job.token(), "{\"report\":[]}")).isEqualTo(400);
        int last = 204;
        for (int i = 0; i < 1000 && last == 204; i++) {
            last = report(job, job.token(), "{\"reports\":[]}");
        }
        assertThat(last).isEqualTo(429);
    }
}
