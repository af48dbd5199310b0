package dev.fermata.live.crash;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.OptionalLong;

/** A client of a daemon that may crash at any moment; its caller repeats requests without an answer. */
final class CrashClient {
    private static final JsonMapper JSON = new JsonMapper();

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();
    private final String url;
    private final String token;

    CrashClient(String url, String token) {
        this.url = url;
        this.token = token;
    }

    /** The id of the job, or empty without an answer. A rejection fails the test. */
    OptionalLong submit(String key, ObjectNode job) throws InterruptedException {
        HttpRequest request = request("/jobs")
                .header("Idempotency-Key", key)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(job.toString()))
                .build();
        try {
            HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() == 503) {
                return OptionalLong.empty(); // the daemon is going down
            }
            if (response.statusCode() != 201) {
                throw new AssertionError(response.statusCode() + " " + response.body());
            }
            JsonNode answer = JSON.readTree(response.body());
            return OptionalLong.of(answer.path("ids").get(0).asLong());
        } catch (IOException e) {
            return OptionalLong.empty();
        }
    }

    /** Whether there was an answer; a job that has ended cannot be cancelled, which is fine. */
    boolean cancel(long job) throws InterruptedException {
        try {
            HttpResponse<String> response =
                    http.send(request("/jobs/" + job).DELETE().build(), HttpResponse.BodyHandlers.ofString());
            return response.statusCode() / 100 == 2 || response.statusCode() == 409;
        } catch (IOException e) {
            return false;
        }
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url + "/api/v1" + path))
                .timeout(Duration.ofSeconds(20))
                .header("Authorization", "Bearer " + token);
    }
}
