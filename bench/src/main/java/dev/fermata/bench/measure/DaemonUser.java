package dev.fermata.bench.measure;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.fermata.cli.client.DaemonClient;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;

/** Calls a daemon over TCP with the token of one user. It never repeats a call. */
final class DaemonUser {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final URI url;
    private final String token;
    private final HttpClient http;

    private DaemonUser(URI url, String token, HttpClient http) {
        this.url = url;
        this.token = token;
        this.http = http;
    }

    /** A new token of this user; {@code admin} makes it. */
    static DaemonUser of(DaemonClient admin, HttpClient http, String user, String role) {
        String token = admin.post(
                        "tokens",
                        JsonNodeFactory.instance.objectNode().put("user", user).put("role", role),
                        Map.of())
                .path("token")
                .asText();
        return new DaemonUser(admin.address().url(), token, http);
    }

    static HttpClient newHttp() {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(TIMEOUT)
                .build();
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return http.send(request(path).GET().build(), BodyHandlers.ofString());
    }

    HttpResponse<String> post(String path, String body) throws IOException, InterruptedException {
        HttpRequest.Builder request = request(path).header("Content-Type", "application/json");
        return http.send(request.POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
    }

    /** The lines of an event stream, until it is closed. */
    HttpResponse<Stream<String>> events() throws IOException, InterruptedException {
        return http.send(
                request("/api/v1/events")
                        .header("Accept", "text/event-stream")
                        .GET()
                        .build(),
                BodyHandlers.ofLines());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(url.resolve(path)).timeout(TIMEOUT).header("Authorization", "Bearer " + token);
    }
}
