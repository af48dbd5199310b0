package dev.fermata.cli.fuzz;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.fermata.live.Daemon;
import dev.fermata.live.DaemonSettings;
import dev.fermata.live.access.Role;
import dev.fermata.live.api.ApiSettings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * A target for a coverage-guided fuzzer: the HTTP API of a daemon. The input is a request, of which {@code TOKEN} and {@code
 * LENGTH} are filled in so that it gets further. Every answer is well formed, none is an error of the daemon.
 */
public final class HttpFuzz {
    private static final int TIMEOUT_MILLIS = 30_000;
    private static final Pattern STATUS = Pattern.compile("^HTTP/1\\.[01] (\\d{3})");
    private static final Pattern OF_THE_PROGRAM = Pattern.compile(
            "\\bat dev\\.fermata\\.|\\bat java\\.|\\.java:\\d+|Exception\\b|org\\.eclipse\\.jetty|io\\.javalin");

    private static final Daemon DAEMON = start();
    private static final int PORT = URI.create(DAEMON.url()).getPort();
    private static final String TOKEN =
            DAEMON.tokens().issue("fuzz", Role.ADMIN, "", -1).token();

    private HttpFuzz() {}

    /** Called by the fuzzer. */
    public static void fuzzerTestOneInput(byte[] data) {
        String text = new String(data, ISO_8859_1);
        int body = text.indexOf("\r\n\r\n");
        int length = body < 0 ? 0 : text.length() - body - 4;
        String request = text.replace("TOKEN", TOKEN).replace("LENGTH", Integer.toString(length));
        String answer = send(request);
        var status = STATUS.matcher(answer);
        if (!answer.isEmpty() && !status.find()) {
            throw new AssertionError("no HTTP: " + answer);
        }
        if (!answer.isEmpty() && Integer.parseInt(status.group(1)) == 500) {
            throw new AssertionError("an error of the daemon: " + answer);
        }
        // An answer may quote the request.
        if (OF_THE_PROGRAM.matcher(answer).results().anyMatch(found -> !text.contains(found.group()))) {
            throw new AssertionError("the inside is shown: " + answer);
        }
    }

    /** The answer; what follows a stream's head is not waited for. */
    private static String send(String request) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), PORT)) {
            socket.setSoTimeout(TIMEOUT_MILLIS);
            try {
                socket.getOutputStream().write(request.getBytes(ISO_8859_1));
                socket.shutdownOutput();
                return read(socket.getInputStream());
            } catch (java.net.SocketTimeoutException e) {
                throw new AssertionError("no answer to " + request, e);
            } catch (java.net.SocketException e) {
                return ""; // hung up on in the middle of a broken request
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(InputStream in) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
            all.write(buffer, 0, read);
            String so = all.toString(ISO_8859_1);
            if (so.contains("text/event-stream") && so.contains("\r\n\r\n")) {
                break;
            }
        }
        return all.toString(ISO_8859_1);
    }

    private static Daemon start() {
        try {
            Path folder = Files.createTempDirectory("fuzz-daemon");
            ApiSettings api = ApiSettings.local(0);
            ApiSettings.Limits limits = ApiSettings.Limits.DEFAULT;
            return Daemon.start(
                    DaemonSettings.forDataFolder(folder)
                            .withGpus("virtual:4")
                            .withRunAs("daemon")
                            .withShadow(true)
                            .withApi(api.withLimits(limits.withRate(new ApiSettings.RateLimits(
                                    1e6,
                                    1e6,
                                    limits.rate().connections(),
                                    limits.rate().streams())))),
                    "fuzz");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
