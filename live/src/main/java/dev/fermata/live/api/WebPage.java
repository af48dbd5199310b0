package dev.fermata.live.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.live.access.TokenService;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Serves the files of the web page. They hold no data, so they need no token; the page asks the API with its session. Every
 * address of a view gets the same shell. The path of the other files has the hash of all of them, so browsers may keep them.
 */
final class WebPage {
    /** The addresses that the page draws. A link to them may come from elsewhere, since they change and tell nothing. */
    private static final List<String> VIEWS =
            List.of("/", "/login", "/jobs", "/jobs/{id}", "/pauses", "/shares", "/nodes", "/trust");

    private static final String SHELL = "index.html";
    private static final String FILES = "/ui/";
    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html; charset=utf-8",
            "js", "text/javascript; charset=utf-8",
            "css", "text/css; charset=utf-8",
            "svg", "image/svg+xml");
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
            + "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
            + "require-trusted-types-for 'script'; trusted-types lit-html";

    /** A file, ready to be sent with and without compression. */
    private static final class PageFile {
        final String type;
        final byte[] plain;
        final byte[] zipped;

        PageFile(String type, byte[] plain) {
            this.type = type;
            this.plain = plain;
            this.zipped = zip(plain);
        }
    }

    private final String hash;
    private final Map<String, PageFile> files = new HashMap<>();

    /** @param files by their path, {@value #SHELL} among them; empty for a daemon without a page */
    WebPage(Map<String, byte[]> files) {
        this.hash = hash(files);
        files.forEach((path, bytes) -> this.files.put(path, file(path, bytes)));
    }

    void addRoutes(JavalinConfig config) {
        if (files.isEmpty()) {
            return;
        }
        VIEWS.forEach(view -> config.routes.get(view, this::shell));
        config.routes.get(FILES + "{hash}/<path>", this::file);
    }

    /** Whether a browser may come here by a link on another site. */
    static boolean isView(String path) {
        return VIEWS.contains(path) || path.matches("/jobs/[0-9]{1,18}");
    }

    private void shell(Context http) {
        send(http, file(SHELL), "no-cache");
    }

    private void file(Context http) {
        if (!http.pathParam("hash").equals(hash)) {
            throw notFound();
        }
        send(http, file(http.pathParam("path")), "public, max-age=31536000, immutable");
    }

    private PageFile file(String path) {
        PageFile file = files.get(path);
        if (file == null) {
            throw notFound();
        }
        return file;
    }

    private static ApiProblemException notFound() {
        return ApiProblemException.notFound("the page has no such file; it may be of an older version");
    }

    private static void send(Context http, PageFile file, String caching) {
        http.header("Content-Security-Policy", POLICY);
        http.header("Cache-Control", caching);
        http.header("Cross-Origin-Opener-Policy", "same-origin");
        http.header("Permissions-Policy", "");
        http.header("Vary", "Accept-Encoding");
        boolean zip = acceptsGzip(http.header("Accept-Encoding"));
        if (zip) {
            http.header("Content-Encoding", "gzip");
        }
        http.contentType(file.type);
        http.result(new ByteArrayInputStream(zip ? file.zipped : file.plain));
    }

    private static boolean acceptsGzip(@Nullable String header) {
        return header != null
                && List.of(header.toLowerCase(Locale.ROOT).split("\\s*,\\s*", -1))
                        .contains("gzip");
    }

    private PageFile file(String path, byte[] bytes) {
        String type = TYPES.getOrDefault(path.substring(path.lastIndexOf('.') + 1), "application/octet-stream");
        byte[] plain = path.equals(SHELL)
                ? new String(bytes, UTF_8).replace("{hash}", hash).getBytes(UTF_8)
                : bytes;
        return new PageFile(type, plain);
    }

    private static String hash(Map<String, byte[]> files) {
        StringBuilder all = new StringBuilder();
        new TreeMap<>(files)
                .forEach((path, bytes) -> all.append(path)
                        .append('\n')
                        .append(new String(bytes, UTF_8))
                        .append('\n'));
        return TokenService.sha256(all.toString()).substring(0, 16);
    }

    private static byte[] zip(byte[] bytes) {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(zipped)) {
            gzip.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return zipped.toByteArray();
    }
}
