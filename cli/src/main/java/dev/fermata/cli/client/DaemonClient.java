package dev.fermata.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.fermata.cli.client.ApiTransport.ApiAnswer;
import dev.fermata.cli.client.ApiTransport.ApiRequest;
import dev.fermata.insight.exit.UserError;
import dev.fermata.report.text.TerminalText;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
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
    private final ApiTransport transport;

    private DaemonClient(DaemonAddress address, ApiTransport transport) {
        this.address = address;
        this.transport = transport;
    }

    /** @param authority certificates (PEM) to trust instead of those that the address names; empty for none */
    public static DaemonClient to(DaemonAddress address, String authority) {
        Path socket = address.socket();
        if (socket != null) {
            return new DaemonClient(address, new SocketTransport(socket, address.explicit(), ANSWER_TIMEOUT));
        }
        SSLContext tls = !authority.isEmpty()
                ? TlsTrust.authorityOnly(authority)
                : address.certificate().isEmpty() ? null : TlsTrust.pinned(address.certificate());
        return new DaemonClient(address, new TcpTransport(address.url(), CONNECT_TIMEOUT, ANSWER_TIMEOUT, tls));
    }

    /** Reads a file of certificates now, so that a wrong path is known before anything is sent. */
    public static String readAuthority(Path file) {
        return TlsTrust.pem(file);
    }

    public DaemonAddress address() {
        return address;
    }

    public JsonNode get(String path) {
        return document("GET", path, null, Map.of());
    }

    public JsonNode post(String path, @Nullable JsonNode body, Map<String, String> headers) {
        return document("POST", path, body, headers);
    }

    public JsonNode post(String path) {
        return post(path, null, Map.of());
    }

    public JsonNode put(String path, JsonNode body) {
        return document("PUT", path, body, Map.of());
    }

    public JsonNode patch(String path, JsonNode body) {
        return document("PATCH", path, body, Map.of());
    }

    public JsonNode delete(String path) {
        return document("DELETE", path, null, Map.of());
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
        ApiAnswer answer = send(request("GET", path, null, headers, true));
        if (answer.status() >= 300) {
            try (InputStream body = answer.body()) {
                JsonNode document = parse(body.readAllBytes());
                requireFermata(answer, document, true);
                throw ApiClientException.of(answer.status(), document);
            } catch (IOException e) {
                throw connectionLost(e);
            }
        }
        String offset = answer.header("Fermata-Log-Offset");
        return new LogBody(answer.body(), offset.matches("[0-9]{1,18}") ? Long.parseLong(offset) : 0);
    }

    private ApiRequest request(
            String method, String path, @Nullable JsonNode body, Map<String, String> headers, boolean stream) {
        Map<String, String> all = new LinkedHashMap<>(headers);
        if (!address.token().isEmpty()) {
            all.put("Authorization", "Bearer " + address.token());
        }
        if (!stream) {
            all.put("Accept", "application/json");
        }
        if (body != null) {
            all.put("Content-Type", "application/json");
        }
        return new ApiRequest(method, API + path, all, body == null ? "" : body.toString(), stream);
    }

    private JsonNode document(String method, String path, @Nullable JsonNode body, Map<String, String> headers) {
        ApiAnswer answer = send(request(method, path, body, headers, false));
        byte[] bytes;
        try (InputStream content = answer.body()) {
            bytes = content.readAllBytes();
        } catch (IOException e) {
            throw connectionLost(e);
        }
        JsonNode document = answer.header("Content-Type").contains("json") ? parse(bytes) : MissingNode.getInstance();
        requireFermata(answer, document, bytes.length > 0);
        if (answer.status() >= 300) {
            throw ApiClientException.of(answer.status(), document);
        }
        return document;
    }

    /** A daemon never redirects and describes what it refuses; anything else is another server. */
    private void requireFermata(ApiAnswer response, JsonNode document, boolean hasBody) {
        int status = response.status();
        boolean redirected = status >= 300 && status < 400;
        boolean undescribed = status >= 400 && status < 500 && !(document.has("title") || document.has("detail"));
        boolean otherwise = status < 300 && hasBody && document.isMissingNode();
        if (redirected || undescribed || otherwise) {
            String type = response.header("Content-Type");
            throw UserError.unreachable("what answers at " + address + " is no Fermata daemon (status " + status + ", "
                    + (type.isEmpty() ? "of no type" : TerminalText.escape(type)) + ").\nName the right one by --url.");
        }
    }

    private static JsonNode parse(byte[] text) {
        try {
            return JSON.readTree(text);
        } catch (IOException e) {
            return MissingNode.getInstance();
        }
    }

    private ApiAnswer send(ApiRequest request) {
        try {
            return transport.send(request);
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
        } catch (ClosedByInterruptException e) {
            throw UserError.interrupted("interrupted");
        } catch (IOException e) {
            throw connectionLost(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw UserError.interrupted("interrupted");
        }
    }

    private UserError connectionLost(IOException e) {
        boolean refused = e instanceof ConnectException
                || e.getCause() instanceof ClosedChannelException
                || (address.socket() != null && !SocketTransport.isListening(address.socket()));
        return DaemonUnreachable.userError(address, refused ? "nothing listens there" : "the connection broke", e);
    }
}
