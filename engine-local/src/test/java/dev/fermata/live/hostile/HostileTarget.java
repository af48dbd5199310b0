package dev.fermata.live.hostile;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.fermata.live.store.PostgresServer;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/** A daemon process under attack, and what attackers and their victims do with it. */
final class HostileTarget {
    static final Duration TIMEOUT = Duration.ofSeconds(60);
    /** As in the launcher. */
    private static final String HEAP = "-Xmx1g";

    private static final String STRANGER = "65534";
    private static final JsonMapper JSON = new JsonMapper();

    /** An answer of the daemon; status 0 when it gave none. */
    record Answer(int status, String body) {
        JsonNode json() throws IOException {
            return JSON.readTree(body);
        }
    }

    final HostileSetup setup;
    final Path data;
    private final Path folder;
    private final String store;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(10))
            .build();
    private final Map<Person, String> tokens = new EnumMap<>(Person.class);
    private Process process;
    private URI url;

    private HostileTarget(Path folder, HostileSetup setup) {
        this.folder = folder;
        this.setup = setup;
        this.data = folder.resolve("data");
        this.store = setup.postgres() ? PostgresServer.newDatabase() : "sqlite";
    }

    static HostileTarget start(Path folder, HostileSetup setup) throws IOException {
        HostileTarget target = new HostileTarget(folder, setup);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        if (setup.otherAccount() && HostileSetup.ROOT) {
            Files.createDirectory(
                    target.data, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            Files.setAttribute(target.data, "unix:uid", Integer.parseInt(STRANGER));
        }
        target.start();
        return target;
    }

    /** Starts the daemon, again after it has ended. */
    void start() throws IOException {
        List<String> command = new ArrayList<>();
        String classPath = classPath();
        if (setup.otherAccount() && HostileSetup.ROOT) {
            classPath = ReadableClassPath.copy(classPath);
            command.addAll(List.of("setpriv", "--reuid=" + STRANGER, "--regid=" + STRANGER, "--clear-groups"));
        }
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:+ExitOnOutOfMemoryError",
                "-XX:-UsePerfData",
                HEAP,
                "-cp",
                classPath,
                HostileDaemonProcess.class.getName(),
                data.toString(),
                store,
                setup.separatesAccounts() ? "auto" : "daemon"));
        process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectError(ProcessBuilder.Redirect.appendTo(errors()))
                .start();
        BufferedReader out = process.inputReader(UTF_8);
        String line = out.readLine();
        while (line != null && !line.startsWith("READY ")) {
            line = out.readLine();
        }
        assertThat(line).as("the daemon started; " + errors()).isNotNull();
        String[] words = line.split(" ", -1);
        url = URI.create(words[1]);
        int next = 2;
        for (Person person : Person.values()) {
            tokens.put(person, words[next++]);
        }
    }

    /** Surefire puts the class path of the tests into a jar, and names it in a property. */
    static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    /** What the daemon has written to its log. */
    File errors() {
        return folder.resolve("daemon.err").toFile();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    void restart() throws Exception {
        stop();
        start();
    }

    String store() {
        return store;
    }

    URI url() {
        return url;
    }

    String token(Person person) {
        return tokens.get(person);
    }

    /** A raw connection to its HTTP port. */
    Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), url.getPort());
        socket.setSoTimeout((int) TIMEOUT.toMillis());
        return socket;
    }

    Answer get(Person person, String path) throws Exception {
        return call(person, "GET", path, null);
    }

    /** @param body null for none */
    Answer call(Person person, String verb, String path, String body) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(url.resolve(path))
                .timeout(TIMEOUT)
                .header("Authorization", "Bearer " + token(person));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        return send(request.method(verb, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body)));
    }

    Answer send(HttpRequest.Builder request) throws InterruptedException {
        try {
            HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
            return new Answer(response.statusCode(), response.body());
        } catch (IOException e) {
            return new Answer(0, String.valueOf(e.getMessage()));
        }
    }

    /** Submits a job and returns its id. */
    long submit(Person person, String document) throws Exception {
        Answer answer = call(person, "POST", "/api/v1/jobs", document);
        assertThat(answer.status()).as(answer.body()).isEqualTo(201);
        return answer.json().path("ids").path(0).asLong();
    }

    /** Submits a shell command of this person and waits until the job has ended; returns its output. */
    String outputOf(Person person, String command) throws Exception {
        long job = submit(
                person,
                JSON.createObjectNode().put("run", command).put("gpus", 1).toString());
        awaitEnd(job);
        return get(Person.ADMIN, "/api/v1/jobs/" + job + "/logs?stream=stdout").body();
    }

    String stateOf(long job) throws Exception {
        return get(Person.ADMIN, "/api/v1/jobs/" + job).json().path("state").asText();
    }

    void awaitState(long job, String... states) {
        Awaitility.await()
                .atMost(TIMEOUT)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> List.of(states).contains(stateOf(job)));
    }

    void awaitEnd(long job) {
        awaitState(job, "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "OOM", "UNSATISFIABLE");
    }

    /** Cancels every live job, so that the next attack finds free GPUs. */
    void tidy() throws Exception {
        if (!isAlive()) {
            start();
        }
        Awaitility.await().atMost(Duration.ofMinutes(5)).until(() -> {
            JsonNode live = get(Person.ADMIN, "/api/v1/jobs?state=live&limit=1000")
                    .json()
                    .path("items");
            for (JsonNode job : live) {
                call(Person.ADMIN, "DELETE", "/api/v1/jobs/" + job.path("id").asLong(), null);
            }
            return live.isEmpty();
        });
    }

    void stop() throws Exception {
        process.getOutputStream().close();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }

    void close() throws Exception {
        if (isAlive()) {
            tidy();
        }
        stop();
    }
}
