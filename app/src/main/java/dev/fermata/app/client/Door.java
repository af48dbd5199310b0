package dev.fermata.app.client;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.output.Harmless;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** The daemon's API as its clients use it: questions in, documents out; whatever is refused becomes a {@link Complaint}. */
public final class Door {
    private static final String API = "/api/v1/";
    private static final Duration TO_CONNECT = Duration.ofSeconds(5);
    private static final Duration TO_ANSWER = Duration.ofSeconds(60);
    private static final int MOST_OF_A_PAGE = 1000;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Address address;
    private final HttpClient http;

    private Door(Address address, HttpClient http) {
        this.address = address;
        this.http = http;
    }

    /** @param authority certificates (PEM) to trust instead of those that the address names; empty for none */
    public static Door to(Address address, String authority) {
        HttpClient.Builder http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(TO_CONNECT)
                // A token goes to the daemon that was named, nowhere else.
                .followRedirects(HttpClient.Redirect.NEVER);
        if (!authority.isEmpty()) {
            http.sslContext(Trust.authority(authority));
        } else if (!address.certificate().isEmpty()) {
            http.sslContext(Trust.only(address.certificate()));
        }
        return new Door(address, http.build());
    }

    /** Reads a file of certificates now, so that a wrong path is known before anything is sent. */
    public static String authority(Path file) {
        return Trust.pem(file);
    }

    public Address address() {
        return address;
    }

    public JsonNode get(String path) {
        return document(request(path).GET());
    }

    public JsonNode post(String path, @Nullable JsonNode body, Map<String, String> headers) {
        HttpRequest.Builder request = request(path);
        headers.forEach(request::header);
        return document(with(request, "POST", body));
    }

    public JsonNode post(String path) {
        return post(path, null, Map.of());
    }

    public JsonNode put(String path, JsonNode body) {
        return document(with(request(path), "PUT", body));
    }

    public JsonNode patch(String path, JsonNode body) {
        return document(with(request(path), "PATCH", body));
    }

    public JsonNode delete(String path) {
        return document(request(path).DELETE());
    }

    /** The items of a list that comes whole. */
    public List<JsonNode> all(String path) {
        List<JsonNode> items = new ArrayList<>();
        get(path).path("items").forEach(items::add);
        return items;
    }

    /** The items of a list, page after page, up to this many. */
    public Listing list(String path, int most) {
        List<JsonNode> items = new ArrayList<>();
        String cursor = "";
        boolean more;
        do {
            String page = Query.to(path)
                    .and("limit", String.valueOf(Math.min(MOST_OF_A_PAGE, most - items.size())))
                    .and("cursor", cursor)
                    .toString();
            JsonNode answer = get(page);
            answer.path("items").forEach(items::add);
            cursor = answer.path("next").isNull() ? "" : answer.path("next").asText();
            more = !cursor.isEmpty();
        } while (more && items.size() < most);
        return new Listing(items, more);
    }

    /** Some items, and whether the daemon has more. */
    public record Listing(List<JsonNode> items, boolean more) {}

    /**
     * An answer that is read while it is being written. Closing it leaves.
     *
     * @param offset where in the whole its first byte stands
     */
    public record Stream(InputStream body, long offset) {}

    public Stream stream(String path, Map<String, String> headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path));
        headers.forEach(request::header);
        authorize(request);
        HttpResponse<InputStream> response = send(request.GET().build(), BodyHandlers.ofInputStream());
        if (response.statusCode() >= 300) {
            try (InputStream body = response.body()) {
                JsonNode document = tree(new String(body.readAllBytes(), StandardCharsets.UTF_8));
                refuseStrangers(response, document, true);
                throw Problem.of(response.statusCode(), document);
            } catch (IOException e) {
                throw gone(e);
            }
        }
        return new Stream(
                response.body(),
                response.headers().firstValueAsLong("Fermata-Log-Offset").orElse(0));
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path)).timeout(TO_ANSWER);
        authorize(request);
        return request.header("Accept", "application/json");
    }

    private void authorize(HttpRequest.Builder request) {
        if (!address.token().isEmpty()) {
            request.header("Authorization", "Bearer " + address.token());
        }
    }

    private URI uri(String path) {
        return URI.create(address.url() + API + path);
    }

    private static HttpRequest.Builder with(HttpRequest.Builder request, String method, @Nullable JsonNode body) {
        return body == null
                ? request.method(method, BodyPublishers.noBody())
                : request.header("Content-Type", "application/json")
                        .method(method, BodyPublishers.ofString(body.toString()));
    }

    private JsonNode document(HttpRequest.Builder request) {
        HttpResponse<String> response = send(request.build(), BodyHandlers.ofString());
        String type = response.headers().firstValue("Content-Type").orElse("");
        JsonNode document = type.contains("json") ? tree(response.body()) : MissingNode.getInstance();
        refuseStrangers(response, document, !response.body().isEmpty());
        if (response.statusCode() >= 300) {
            throw Problem.of(response.statusCode(), document);
        }
        return document;
    }

    /** A daemon never sends elsewhere, and describes what it refuses; anything else is somebody else's server. */
    private void refuseStrangers(HttpResponse<?> response, JsonNode document, boolean says) {
        int status = response.statusCode();
        boolean elsewhere = status >= 300 && status < 400;
        boolean wordless = status >= 400 && status < 500 && !(document.has("title") || document.has("detail"));
        boolean otherwise = status < 300 && says && document.isMissingNode();
        if (elsewhere || wordless || otherwise) {
            String type = response.headers().firstValue("Content-Type").orElse("");
            throw Complaint.unreachable("what answers at " + address + " is no Fermata daemon (status " + status + ", "
                    + (type.isEmpty() ? "of no type" : Harmless.line(type)) + ").\nName the right one by --url.");
        }
    }

    private static JsonNode tree(String text) {
        try {
            return JSON.readTree(text);
        } catch (JacksonException e) {
            return MissingNode.getInstance();
        }
    }

    private <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
        try {
            return http.send(request, handler);
        } catch (HttpConnectTimeoutException e) {
            throw Unreachable.because(address, "it does not answer within " + TO_CONNECT.toSeconds() + " s", e);
        } catch (HttpTimeoutException e) {
            throw Complaint.failed(
                    "the daemon at " + address + " took the request and did not answer within " + TO_ANSWER.toSeconds()
                            + " s.\nSee how it is: fermata diag",
                    e);
        } catch (SSLException e) {
            throw Complaint.failed(
                    "no safe connection to " + address + ": " + Harmless.line(String.valueOf(e.getMessage()))
                            + ".\nGive the certificate of its authority by --ca FILE.",
                    e);
        } catch (IOException e) {
            throw gone(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Complaint.interrupted("interrupted");
        }
    }

    private Complaint gone(IOException e) {
        boolean refused = e instanceof ConnectException || e.getCause() instanceof ClosedChannelException;
        return Unreachable.because(address, refused ? "nothing listens there" : "the connection broke", e);
    }
}
