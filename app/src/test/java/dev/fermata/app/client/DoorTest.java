package dev.fermata.app.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.fermata.app.exit.Complaint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What can go wrong on the way to the daemon. What the daemon itself answers is tested against the real one. */
class DoorTest {
    private HttpServer server;
    private String seenToken = "";

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @Test
    void nobodyListens() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        Door door = Door.to(new Address(URI.create("http://127.0.0.1:" + port), "", "", false), "");

        Complaint complaint = catchThrowableOfType(Complaint.class, () -> door.get("diag"));

        assertThat(complaint.exitCode()).isEqualTo(3);
        assertThat(complaint).hasMessageContaining("nothing listens there").hasMessageContaining("./fermata up");
    }

    @Test
    void theConnectionBreaks() {
        server.createContext("/", HttpExchange::close);

        Complaint complaint = catchThrowableOfType(Complaint.class, () -> door().get("diag"));

        assertThat(complaint.exitCode()).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({"200, text/html", "404, text/html", "302, text/html", "404, application/json"})
    void somethingElseListens(int status, String type) {
        answer(status, type, type.contains("json") ? "{\"error\":\"no route\"}" : "<html>hello</html>");

        Complaint complaint = catchThrowableOfType(Complaint.class, () -> door().get("diag"));

        assertThat(complaint).hasMessageContaining("is no Fermata daemon").hasMessageContaining(type);
        assertThat(complaint.exitCode()).isEqualTo(3);
        if (status >= 300) {
            Complaint streamed = catchThrowableOfType(Complaint.class, () -> door().stream("events", Map.of()));
            assertThat(streamed).hasMessageContaining("is no Fermata daemon");
        }
    }

    /** A token would go wherever somebody on the way points to. */
    @Test
    void isNotSentElsewhere() {
        server.createContext("/elsewhere", exchange -> {
            seenToken = exchange.getRequestHeaders().getFirst("Authorization");
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.createContext("/api", exchange -> {
            exchange.getResponseHeaders().add("Location", "/elsewhere");
            exchange.sendResponseHeaders(302, -1);
            exchange.close();
        });

        assertThatThrownBy(() -> door().get("diag")).hasMessageContaining("is no Fermata daemon");
        assertThat(seenToken).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"400, 2", "422, 2", "413, 2", "404, 2", "401, 1", "403, 1", "409, 1", "429, 1", "500, 1", "503, 1"})
    void aRefusalBecomesAPlainLine(int status, int exitCode) {
        answer(status, "application/problem+json", "{\"title\":\"No\",\"detail\":\"queue 'a\\u001b[2J' is full\"}");

        Problem problem = catchThrowableOfType(Problem.class, () -> door().get("jobs"));

        assertThat(problem.complaint().exitCode()).isEqualTo(exitCode);
        assertThat(problem.complaint().getMessage())
                .startsWith("queue 'a␛[2J' is full")
                .doesNotContain("\u001b");
    }

    @Test
    void mistakesOfADocumentAreListed() {
        answer(
                422,
                "application/problem+json",
                "{\"detail\":\"2 mistakes\",\"errors\":[{\"path\":\"gpus\",\"message\":\"gpus (0) must be positive\"},"
                        + "{\"path\":\"run\",\"message\":\"is missing\"}]}");

        Problem problem = catchThrowableOfType(Problem.class, () -> door().post("jobs"));

        assertThat(problem.complaint()).hasMessage("2 mistakes\ngpus (0) must be positive\nrun: is missing");
        assertThat(problem.fields()).extracting(Problem.Field::name).containsExactly("gpus", "run");
    }

    @Test
    void pagesAreReadToTheirEnd() {
        server.createContext("/api/v1/jobs", exchange -> {
            String query = exchange.getRequestURI().getQuery();
            boolean second = query.contains("cursor=two");
            send(
                    exchange,
                    200,
                    "application/json",
                    second
                            ? "{\"items\":[{\"id\":3}],\"next\":null}"
                            : "{\"items\":[{\"id\":1},{\"id\":2}],\"next\":\"two\"}");
        });

        assertThat(door().list("jobs", 100).items())
                .extracting(job -> job.path("id").asInt())
                .containsExactly(1, 2, 3);
        assertThat(door().list("jobs", 2).more()).isTrue();
    }

    @Test
    void questionsAreQuoted() {
        assertThat(Query.to("jobs").and("name", "a&b=c d").and("user", "").and("queue", "x/y"))
                .hasToString("jobs?name=a%26b%3Dc+d&queue=x%2Fy");
    }

    private void answer(int status, String type, String body) {
        server.createContext("/", exchange -> send(exchange, status, type, body));
    }

    private static void send(HttpExchange exchange, int status, String type, String body) throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", type);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private Door door() {
        return Door.to(
                new Address(URI.create("http://127.0.0.1:" + server.getAddress().getPort()), "fm_x", "", true), "");
    }
}
