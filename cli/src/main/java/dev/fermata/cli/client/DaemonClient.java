package dev.fermata.cli.client;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.report.text.TerminalText;
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

/** The daemon's API as its clients use it: questions in, documents out; whatever is refused becomes a {@link UserError}. */
public final class DaemonClient {
    private static final String API = "/api/v1/";
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(60);
    private static final int MAX_PAGE_SIZE = 1000;
    private static final ObjectMapper JSON = new ObjectMapper();

    private final DaemonAddress address;
    private final HttpClient http;

    private DaemonClient(DaemonAddress address, HttpClient http) {
        this.address = address;
        this.http = http;
    }

    /** @param authority certificates (PEM) to trust instead of those that the address names; empty for none */
    public static DaemonClient to(DaemonAddress address, String authority) {
        HttpClient.Builder http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(CONNECT_TIMEOUT)
                // A token goes to the daemon that was named, nowhere else.
                .followRedirects(HttpClient.Redirect.NEVER);
        if (!authority.isEmpty()) {
            http.sslContext(TlsTrust.authorityOnly(authority));
        } else if (!address.certificate().isEmpty()) {
            http.sslContext(TlsTrust.pinned(address.certificate()));
        }
        return new DaemonClient(address, http.build());
    }

    /** Reads a file of certificates now, so that a wrong path is known before anything is sent. */
    public static String readAuthority(Path file) {
        return TlsTrust.pem(file);
    }

    public DaemonAddress address() {
        return address;
    }

    public JsonNode get(String path) {
        return document(request(path).GET());
    }

    public JsonNode post(String path, @Nullable JsonNode body, Map<String, String> headers) {
        HttpRequest.Builder request = request(path);
        headers.forEach(request::header);
        return document(withBody(request, "POST", body));
    }

    public JsonNode post(String path) {
        return post(path, null, Map.of());
    }

    public JsonNode put(String path, JsonNode body) {
        return document(withBody(request(path), "PUT", body));
    }

    public JsonNode patch(String path, JsonNode body) {
        return document(withBody(request(path), "PATCH", body));
    }

    public JsonNode delete(String path) {
        return document(request(path).DELETE());
    }

    /** The items of a list without pages. */
    public List<JsonNode> listAll(String path) {
        List<JsonNode> items = new ArrayList<>();
        get(path).path("items").forEach(items::add);
        return items;
    }

    /** The items of a list, page after page, up to this many. */
    public Listing list(String path, int max) {
        List<JsonNode> items = new ArrayList<>();
        String cursor = "";
        boolean more;
        do {
            String page = ApiQuery.to(path)
                    .and("limit", String.valueOf(Math.min(MAX_PAGE_SIZE, max - items.size())))
                    .and("cursor", cursor)
                    .toString();
            JsonNode answer = get(page);
            answer.path("items").forEach(items::add);
            cursor = answer.path("next").isNull() ? "" : answer.path("next").asText();
            more = !cursor.isEmpty();
        } while (more && items.size() < max);
        return new Listing(items, more);
    }

    /** Some items, and whether the daemon has more. */
    public record Listing(List<JsonNode> items, boolean more) {}

    /**
     * An answer that is read while it is being written. Closing it leaves.
     *
     * @param offset where in the whole its first byte stands
     */
    public record LogBody(InputStream body, long offset) {}

    public LogBody stream(String path, Map<String, String> headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path));
        headers.forEach(request::header);
        authorize(request);
        HttpResponse<InputStream> response = send(request.GET().build(), BodyHandlers.ofInputStream());
        if (response.statusCode() >= 300) {
            try (InputStream body = response.body()) {
                JsonNode document = parse(new String(body.readAllBytes(), StandardCharsets.UTF_8));
                requireFermata(response, document, true);
                throw ApiClientException.of(response.statusCode(), document);
            } catch (IOException e) {
                throw connectionLost(e);
            }
        }
        return new LogBody(
                response.body(),
                response.headers().firstValueAsLong("Fermata-Log-Offset").orElse(0));
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(uri(path)).timeout(ANSWER_TIMEOUT);
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

    private static HttpRequest.Builder withBody(HttpRequest.Builder request, String method, @Nullable JsonNode body) {
        return body == null
                ? request.method(method, BodyPublishers.noBody())
                : request.header("Content-Type", "application/json")
                        .method(method, BodyPublishers.ofString(body.toString()));
    }

    private JsonNode document(HttpRequest.Builder request) {
        HttpResponse<String> response = send(request.build(), BodyHandlers.ofString());
        String type = response.headers().firstValue("Content-Type").orElse("");
        JsonNode document = type.contains("json") ? parse(response.body()) : MissingNode.getInstance();
        requireFermata(response, document, !response.body().isEmpty());
        if (response.statusCode() >= 300) {
            throw ApiClientException.of(response.statusCode(), document);
        }
        return document;
    }

    /** A daemon never redirects and describes what it refuses; anything else is another server. */
    private void requireFermata(HttpResponse<?> response, JsonNode document, boolean hasBody) {
        int status = response.statusCode();
        boolean redirected = status >= 300 && status < 400;
        boolean undescribed = status >= 400 && status < 500 && !(document.has("title") || document.has("detail"));
        boolean otherwise = status < 300 && hasBody && document.isMissingNode();
        if (redirected || undescribed || otherwise) {
            String type = response.headers().firstValue("Content-Type").orElse("");
            throw UserError.unreachable("what answers at " + address + " is no Fermata daemon (status " + status + ", "
                    + (type.isEmpty() ? "of no type" : TerminalText.escape(type)) + ").\nName the right one by --url.");
        }
    }

    private static JsonNode parse(String text) {
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
            throw DaemonUnreachable.userError(
                    address, "it does not answer within " + CONNECT_TIMEOUT.toSeconds() + " s", e);
        } catch (HttpTimeoutException e) {
            throw UserError.failed(
                    "the daemon at " + address + " took the request and did not answer within "
                            + ANSWER_TIMEOUT.toSeconds() + " s.\nIts health: fermata diag",
                    e);
        } catch (SSLException e) {
            throw UserError.failed(
                    "no safe connection to " + address + ": " + TerminalText.escape(String.valueOf(e.getMessage()))
                            + ".\nGive the certificate of its authority by --ca FILE.",
                    e);
        } catch (IOException e) {
            throw connectionLost(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw UserError.interrupted("interrupted");
        }
    }

    private UserError connectionLost(IOException e) {
        boolean refused = e instanceof ConnectException || e.getCause() instanceof ClosedChannelException;
        return DaemonUnreachable.userError(address, refused ? "nothing listens there" : "the connection broke", e);
    }
}
