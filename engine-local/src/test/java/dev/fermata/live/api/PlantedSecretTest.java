package dev.fermata.live.api;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.access.Role;
import dev.fermata.live.api.Endpoint.EndpointParameter;
import dev.fermata.live.api.Endpoint.HttpVerb;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * Marked texts in every place where a user can put one, then every surface searched for them. Routes and their parameters come
 * from the list of endpoints: a new route is searched too, and one with a part that is unknown here fails.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PlantedSecretTest {
    /** In each secret value: it is never shown, not even to its owner. */
    private static final String SECRET = "zq7secret";
    /** In all else about a job: it is shown to its owner and to operators. */
    private static final String PRIVATE = "zq7private";

    /** Every field of a job document that takes a text of the user's own. */
    private static final String JOB = """
            {"name":"PRIVATE-name","gpus":1,"array":"0-1","workdir":"WORK/PRIVATE-folder",
             "run":"#!/bin/sh\\n#SBATCH --comment=PRIVATE-comment --account=PRIVATE-account\\n# PRIVATE-remark\\n\
            python3 -c 'import sys,os; print(\\"PRIVATE-out\\"); sys.stderr.write(os.environ[\\"WANDB_API_KEY\\"] + chr(10)); END' --model PRIVATE-model --data=PRIVATE-data PRIVATE-word",
             "env":{"PLAIN":"PRIVATE-plain","MODEL":"PRIVATE-model","WANDB_API_KEY":"SECRET-key","MYSQL_PWD":"SECRET-pwd",
                    "DECLARED":"SECRET-declared","DB":"postgresql://ann:SECRET-address@db/x"},
             "secrets":["DECLARED"],
             "checkpoint":{"dir":"PRIVATE-checkpoints"},
             "progress":{"pattern":"PRIVATE-pattern (\\\\d+)"}}""".replace("SECRET", SECRET).replace("PRIVATE", PRIVATE);

    private final LogRecorder log = new LogRecorder();
    private final List<Long> jobs = new ArrayList<>();
    private ApiFixture fixture;
    private Path data;
    private final Map<String, String> strangers = new LinkedHashMap<>();
    private final Map<String, String> entitled = new LinkedHashMap<>();
    private String ann = "";
    private String bob = "";

    @BeforeAll
    void plant(@TempDir Path folder) throws Exception {
        data = Files.createDirectory(folder.resolve("data"));
        Path work = Files.createDirectory(folder.resolve("work"));
        Files.createDirectory(work.resolve(PRIVATE + "-folder"));
        fixture = new ApiFixture(data);
        ann = fixture.token("ann", Role.USER);
        strangers.put("no token", "");
        bob = fixture.token("bob", Role.USER);
        strangers.put("another user", bob);
        strangers.put("a viewer", fixture.token(Role.VIEWER));
        entitled.put("the owner", ann);
        entitled.put("an operator", fixture.token(Role.OPERATOR));
        entitled.put("an administrator", fixture.token(Role.ADMIN));
        String job = JOB.replace("WORK", work.toString());
        for (String end :
                List.of("sys.exit(0)", "sys.exit(3)", "sys.stdout.flush(), __import__(\\\"time\\\").sleep(600)")) {
            var answer = fixture.submit(ann, job.replace("END", end));
            assertThat(answer.status()).as(answer.body()).isEqualTo(201);
            answer.json().path("ids").forEach(id -> jobs.add(id.asLong()));
        }
        fixture.awaitState(jobs.get(0), "COMPLETED");
        fixture.awaitState(jobs.get(2), "FAILED");
        fixture.awaitState(jobs.get(4), "RUNNING");
        // Six jobs on four GPUs: the last one waits.
        jobs.add(fixture.submitJob(ann, job.replace("END", "0").replace("\"gpus\":1", "\"gpus\":4,\"hold\":true")));
    }

    @AfterAll
    void close() {
        fixture.close();
        log.close();
    }

    /** All calls of a route that the document of the API describes: each job, each parameter. */
    private List<String> calls(Endpoint endpoint) {
        List<String> paths = new ArrayList<>();
        for (long job : jobs) {
            paths.add(endpoint.path()
                    .replace("{id}", Long.toString(job))
                    .replace("{attempt}", job + ".1")
                    .replace("{name}", "0"));
        }
        List<String> all = new ArrayList<>(new TreeSet<>(paths));
        for (EndpointParameter parameter : endpoint.parameters()) {
            if (!parameter.in().equals("query") || parameter.name().equals("follow")) {
                continue;
            }
            for (String value : parameter.type().equals("boolean")
                    ? List.of("true")
                    : List.of("1", "stderr", "ann", "user", PRIVATE + "-name", "live")) {
                paths.forEach(path -> all.add(path + "?" + parameter.name() + "=" + value));
            }
        }
        assertThat(all).as("every part of the path is filled in").noneMatch(path -> path.contains("{"));
        return new ArrayList<>(new TreeSet<>(all));
    }

    @Test
    void noAnswerTellsAStrangerWhatAJobDoesNorAnyoneASecret() {
        for (Endpoint endpoint : fixture.server.endpoints()) {
            if (endpoint.verb() != HttpVerb.GET) {
                continue;
            }
            boolean output = endpoint.path().endsWith("/logs");
            for (String path : calls(endpoint)) {
                strangers.forEach((who, token) -> assertThat(shown(fixture.get(token, path)))
                        .as(path + " to " + who)
                        .doesNotContain(SECRET)
                        .doesNotContain(echoed(path) ? "\u0000" : PRIVATE));
                if (!output) { // a job's own output is its own
                    entitled.forEach((who, token) -> assertThat(shown(fixture.get(token, path)))
                            .as(path + " to " + who)
                            .doesNotContain(SECRET));
                }
            }
        }
        assertThat(fixture.get(ann, "/api/v1/jobs/" + jobs.get(0)).body())
                .as("it was planted")
                .contains(PRIVATE);
    }

    /** A parameter may come back in the message that refuses it. */
    private static boolean echoed(String path) {
        return path.contains(PRIVATE);
    }

    private static String shown(ApiFixture.ApiResponse answer) {
        return answer.response().headers().map() + "\n" + answer.body();
    }

    @Test
    void neitherRefusalsNorLogsRepeatASecret() {
        String secret = SECRET + "-refused";
        List<String> bodies = List.of(
                "\"" + secret + "\"",
                "[\"" + secret + "\"]",
                "{\"jobs\":\"" + secret + "\"}",
                "{\"env\":[\"" + secret + "\"],\"run\":\"true\"}",
                "{\"env\":{\"API_KEY\":{\"a\":\"" + secret + "\"}},\"run\":\"true\"}",
                "{\"env\":{\"API_KEY\":\"" + secret + "\"},\"run\":\"true\",\"gpus\":0}",
                "{\"run\":\"true\",\"env\":{\"API_KEY\":\"" + secret,
                "{\"token\":\"" + secret + "\",\"code\":\"" + secret + "\"}",
                "\u0000" + secret);
        List<String> tokens = new ArrayList<>(strangers.values());
        tokens.addAll(entitled.values());
        for (Endpoint endpoint : fixture.server.endpoints()) {
            if (endpoint.verb() == HttpVerb.GET || endpoint.body().isEmpty()) {
                continue;
            }
            String path = endpoint.path()
                    .replace("{id}", "999999")
                    .replace("{attempt}", "1.1")
                    .replace("{name}", "none");
            for (String token : tokens) {
                for (String body : bodies) {
                    var answer = fixture.call(token, endpoint.verb().name(), path, body);
                    assertThat(answer.status()).as(path + " " + body).isGreaterThanOrEqualTo(400);
                    if (body.contains("env") || body.contains("token")) { // else only its sender sees it again
                        assertThat(shown(answer)).as(path + " " + body).doesNotContain(secret);
                    }
                }
            }
        }
        fixture.get("fm_" + secret, "/api/v1/jobs");
        fixture.get(null, "/api/v1/jobs?token=" + secret);
        fixture.get(ann, "/api/v1/jobs/" + secret);
        assertThat(fixture.get(fixture.token(Role.ADMIN), "/api/v1/audit?limit=1000")
                        .body())
                .doesNotContain(secret);
        assertThat(log.lines()).isNotEmpty().noneMatch(line -> line.contains(SECRET) || line.contains(PRIVATE));
    }

    @Test
    void noStreamTellsAStrangerWhatAJobDoesNorAnyoneASecret() throws Exception {
        long last = fixture.submitJob(bob, "{\"run\":\"true\",\"hold\":true}");
        for (boolean stranger : new boolean[] {true, false}) {
            Map<String, String> readers = new LinkedHashMap<>(stranger ? strangers : entitled);
            readers.remove("no token");
            for (Map.Entry<String, String> reader : readers.entrySet()) {
                if (reader.getKey().equals("a viewer") || reader.getKey().equals("the owner")) {
                    continue; // the marker is not theirs: their pages are searched above
                }
                HttpResponse<Stream<String>> stream = fixture.client.send(
                        fixture.request(reader.getValue(), "/api/v1/events")
                                .header("Accept", "text/event-stream")
                                .header("Last-Event-ID", "0")
                                .build(),
                        BodyHandlers.ofLines());
                try (Stream<String> lines = stream.body()) {
                    List<String> seen = lines.takeWhile(line -> !line.contains("\"job\":" + last + ","))
                            .toList();
                    assertThat(seen).as(reader.getKey()).noneMatch(line -> line.contains(SECRET));
                    if (stranger) {
                        assertThat(seen).as(reader.getKey()).noneMatch(line -> line.contains(PRIVATE));
                    } else {
                        assertThat(seen).as("it was planted").anyMatch(line -> line.contains(PRIVATE));
                    }
                }
            }
        }
    }

    @Test
    void noProcessShowsASecretInItsCommandLine() throws IOException {
        try (Stream<ProcessHandle> below = ProcessHandle.current().descendants()) {
            List<String> lines = below.map(process -> Path.of("/proc", Long.toString(process.pid()), "cmdline"))
                    .map(PlantedSecretTest::readIfThere)
                    .toList();
            assertThat(lines).as("jobs are running").isNotEmpty();
            assertThat(lines).noneMatch(line -> line.contains(SECRET));
        }
    }

    @Test
    void noOtherAccountReadsAnythingInTheDataFolder() throws IOException {
        try (Stream<Path> files = Files.walk(data)) {
            List<String> open = files.filter(Files::isRegularFile)
                    .filter(this::othersReach)
                    .filter(file -> {
                        String text = readIfThere(file);
                        return text.contains(SECRET) || text.contains(PRIVATE);
                    })
                    .map(Path::toString)
                    .toList();
            assertThat(open).isEmpty();
        }
    }

    /** Whether every folder down to the file lets others pass, and the file lets them read. */
    private boolean othersReach(Path file) {
        try {
            for (Path at = file.getParent(); at != null && at.startsWith(data); at = at.getParent()) {
                if (!Files.getPosixFilePermissions(at).contains(PosixFilePermission.OTHERS_EXECUTE)) {
                    return false;
                }
            }
            return Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ);
        } catch (IOException e) {
            return false; // gone meanwhile
        }
    }

    @Test
    void attemptFoldersOfEndedJobsKeepNoSecret() {
        Awaitility.await().atMost(ApiFixture.TIMEOUT).untilAsserted(() -> {
            try (Stream<Path> files = Files.walk(data.resolve("attempts"))) {
                List<String> found = files.filter(Files::isRegularFile)
                        .filter(file -> !file.getFileName().toString().startsWith("std")) // what the job printed
                        .filter(file -> jobs.subList(0, 4).stream()
                                .anyMatch(job -> file.toString().contains("/" + job + ".")))
                        .filter(file -> readIfThere(file).contains(SECRET))
                        .map(Path::toString)
                        .toList();
                assertThat(found).isEmpty();
            }
        });
    }

    private static String readIfThere(Path file) {
        try {
            return new String(Files.readAllBytes(file), ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }
}
