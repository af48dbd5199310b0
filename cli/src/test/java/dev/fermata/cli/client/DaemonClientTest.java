package dev.fermata.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.fermata.insight.exit.UserError;
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
class DaemonClientTest {
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
    void connectionRefusedIsReported() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        DaemonClient api = DaemonClient.to(DaemonAddress.at(URI.create("http://127.0.0.1:" + port), "", "", false), "");

        UserError userError = catchThrowableOfType(UserError.class, () -> api.get("diag"));

        assertThat(userError.exitCode()).isEqualTo(3);
        assertThat(userError).hasMessageContaining("nothing listens there").hasMessageContaining("./fermata up");
    }

    @Test
    void brokenConnectionIsReported() {
        server.createContext("/", HttpExchange::close);

        UserError userError = catchThrowableOfType(UserError.class, () -> api().get("diag"));

        assertThat(userError.exitCode()).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({"200, text/html", "404, text/html", "302, text/html", "404, application/json"})
    void anotherServerIsReported(int status, String type) {
        answer(status, type, type.contains("json") ? "{\"error\":\"no route\"}" : "<html>hello</html>");

        UserError userError = catchThrowableOfType(UserError.class, () -> api().get("diag"));

        assertThat(userError).hasMessageContaining("is no Fermata daemon").hasMessageContaining(type);
        assertThat(userError.exitCode()).isEqualTo(3);
        if (status >= 300) {
            UserError streamed = catchThrowableOfType(UserError.class, () -> api().stream("events", Map.of()));
            assertThat(streamed).hasMessageContaining("is no Fermata daemon");
        }
    }

    /** A redirect could send the token to any server. */
    @Test
    void redirectsAreNotFollowed() {
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

        assertThatThrownBy(() -> api().get("diag")).hasMessageContaining("is no Fermata daemon");
        assertThat(seenToken).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"400, 2", "422, 2", "413, 2", "404, 2", "401, 1", "403, 1", "409, 1", "429, 1", "500, 1", "503, 1"})
    void aProblemResponseBecomesOneLine(int status, int exitCode) {
        answer(status, "application/problem+json", "{\"title\":\"No\",\"detail\":\"queue 'a\\u001b[2J' is full\"}");

        ApiClientException problem = catchThrowableOfType(ApiClientException.class, () -> api().get("jobs"));

        assertThat(problem.toUserError().exitCode()).isEqualTo(exitCode);
        assertThat(problem.toUserError().getMessage())
                .startsWith("queue 'a␛[2J' is full")
                .doesNotContain("\u001b");
    }

    @Test
    void invalidFieldsAreListed() {
        answer(
                422,
                "application/problem+json",
                "{\"detail\":\"2 mistakes\",\"errors\":[{\"path\":\"gpus\",\"message\":\"gpus (0) must be positive\"},"
                        + "{\"path\":\"run\",\"message\":\"is missing\"}]}");

        ApiClientException problem = catchThrowableOfType(ApiClientException.class, () -> api().post("jobs"));

        assertThat(problem.toUserError()).hasMessage("2 mistakes\ngpus (0) must be positive\nrun: is missing");
        assertThat(problem.fields())
                .extracting(ApiClientException.InvalidField::name)
                .containsExactly("gpus", "run");
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

        assertThat(api().list("jobs", 100).items())
                .extracting(job -> job.path("id").asInt())
                .containsExactly(1, 2, 3);
        assertThat(api().list("jobs", 2).more()).isTrue();
    }

    @Test
    void queryValuesAreEncoded() {
        assertThat(ApiQuery.to("jobs").and("name", "a&b=c d").and("user", "").and("queue", "x/y"))
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

    private DaemonClient api() {
        return DaemonClient.to(
                DaemonAddress.at(
                        URI.create("http://127.0.0.1:" + server.getAddress().getPort()), "fm_x", "", true),
                "");
    }
}
