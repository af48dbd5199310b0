package dev.fermata.cli.client;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** HTTP over TCP, with or without TLS. */
final class TcpTransport implements ApiTransport {
    private final URI base;
    private final Duration timeout;
    private final HttpClient http;

    TcpTransport(URI base, Duration connectTimeout, Duration timeout, @Nullable SSLContext tls) {
        this.base = base;
        this.timeout = timeout;
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(connectTimeout)
                // A token goes to the daemon that was named, nowhere else.
                .followRedirects(HttpClient.Redirect.NEVER);
        if (tls != null) {
            builder.sslContext(tls);
        }
        this.http = builder.build();
    }

    @Override
    public ApiAnswer send(ApiRequest request) throws IOException, InterruptedException {
        HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(base + request.target()))
                .method(
                        request.method(),
                        request.body().isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(request.body()));
        request.headers().forEach(builder::header);
        if (request.stream()) {
            HttpResponse<InputStream> response = http.send(builder.build(), BodyHandlers.ofInputStream());
            return new ApiAnswer(response.statusCode(), headers(response), response.body());
        }
        HttpResponse<byte[]> response = http.send(builder.timeout(timeout).build(), BodyHandlers.ofByteArray());
        return new ApiAnswer(response.statusCode(), headers(response), new ByteArrayInputStream(response.body()));
    }

    private static Map<String, String> headers(HttpResponse<?> response) {
        Map<String, String> headers = new TreeMap<>();
        response.headers().map().forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.get(0)));
        return headers;
    }
}
