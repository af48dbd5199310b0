package dev.fermata.cli.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.fermata.insight.exit.UserError;
import dev.fermata.live.access.PeerAccount;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * HTTP/1.1 over a Unix socket, which the HTTP client of Java does not speak. Each request has a connection of its own. The
 * kernel proves whose socket it is, before anything is sent.
 */
final class SocketTransport implements ApiTransport {
    private static final int MAX_LINE = 64 << 10;

    private final Path socket;
    private final boolean anyOwner;
    private final Duration timeout;

    /** @param anyOwner whether the daemon may run under any account: the user has named this socket */
    SocketTransport(Path socket, boolean anyOwner, Duration timeout) {
        this.socket = socket;
        this.anyOwner = anyOwner;
        this.timeout = timeout;
    }

    /** Whether a process accepts connections at this socket. */
    static boolean isListening(Path socket) {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            return channel.isConnected();
        } catch (IOException | IllegalArgumentException e) {
            return false;
        }
    }

    @Override
    public ApiAnswer send(ApiRequest request) throws IOException {
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
        SocketInput in = new SocketInput(channel, timeout);
        boolean open = false;
        try {
            requireTrustedOwner(channel);
            write(channel, request);
            ApiAnswer answer = read(in);
            if (request.stream()) {
                in.withoutDeadline();
                open = true;
                return answer;
            }
            byte[] body = answer.body().readAllBytes();
            return new ApiAnswer(answer.status(), answer.headers(), new ByteArrayInputStream(body));
        } finally {
            if (!open) {
                in.close();
            }
        }
    }

    private void requireTrustedOwner(SocketChannel channel) throws IOException {
        PeerAccount owner = PeerAccount.of(channel);
        if (!anyOwner && !owner.isTrusted()) {
            throw UserError.unreachable("the socket " + socket + " belongs to " + owner.name()
                    + ", neither you nor root: not used.\nIf that is right, name it: --url unix:" + socket);
        }
    }

    private static void write(SocketChannel channel, ApiRequest request) throws IOException {
        byte[] body = request.bodyBytes();
        StringBuilder head = new StringBuilder()
                .append(request.method())
                .append(' ')
                .append(request.target())
                .append(" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
        request.headers()
                .forEach((name, value) ->
                        head.append(name).append(": ").append(value).append("\r\n"));
        if (body.length > 0 || !request.method().equals("GET")) {
            head.append("Content-Length: ").append(body.length).append("\r\n");
        }
        ByteBuffer[] parts = {
            ByteBuffer.wrap(head.append("\r\n").toString().getBytes(ISO_8859_1)), ByteBuffer.wrap(body)
        };
        try {
            while (parts[0].hasRemaining() || parts[1].hasRemaining()) {
                channel.write(parts);
            }
        } catch (IOException e) {
            // Refused before it had the whole body, perhaps: the answer says why.
        }
    }

    private static ApiAnswer read(SocketInput in) throws IOException {
        String[] status = line(in).split(" ", 3);
        if (status.length < 2 || !status[0].startsWith("HTTP/1.") || !status[1].matches("[0-9]{3}")) {
            throw new IOException("the answer is no HTTP");
        }
        Map<String, String> headers = new TreeMap<>();
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            int colon = line.indexOf(':');
            if (colon > 0) {
                headers.put(
                        line.substring(0, colon).toLowerCase(Locale.ROOT),
                        line.substring(colon + 1).strip());
            }
        }
        return new ApiAnswer(Integer.parseInt(status[1]), headers, body(in, Integer.parseInt(status[1]), headers));
    }

    private static InputStream body(SocketInput in, int status, Map<String, String> headers) {
        if (status == 204 || status == 304) {
            return new LengthInput(in, 0);
        }
        if (headers.getOrDefault("transfer-encoding", "").equalsIgnoreCase("chunked")) {
            return new ChunkedInput(in);
        }
        String length = headers.get("content-length");
        return length == null ? in : new LengthInput(in, Long.parseLong(length));
    }

    static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the connection ended within an answer");
            }
            if (line.length() >= MAX_LINE) {
                throw new IOException("a line of the answer is too long");
            }
            line.append((char) c);
        }
        int end = line.length();
        return end > 0 && line.charAt(end - 1) == '\r' ? line.substring(0, end - 1) : line.toString();
    }

    /** A body of known length; its premature end is an error. */
    private static final class LengthInput extends InputStream {
        private final InputStream in;
        private long left;

        LengthInput(InputStream in, long length) {
            this.in = in;
            this.left = length;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            if (left == 0) {
                return -1;
            }
            int n = in.read(to, offset, (int) Math.min(left, length));
            if (n < 0) {
                throw new EOFException("the connection ended within an answer");
            }
            left -= n;
            return n;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    /** A body in chunks; its premature end is an error. */
    private static final class ChunkedInput extends InputStream {
        private final InputStream in;
        private long left;
        private boolean begun;
        private boolean ended;

        ChunkedInput(InputStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] to, int offset, int length) throws IOException {
            if (left == 0 && !ended) {
                nextChunk();
            }
            if (ended) {
                return -1;
            }
            int n = in.read(to, offset, (int) Math.min(left, length));
            if (n < 0) {
                throw new EOFException("the connection ended within an answer");
            }
            left -= n;
            return n;
        }

        private void nextChunk() throws IOException {
            if (begun) {
                line(in); // behind the chunk before
            }
            begun = true;
            try {
                left = Long.parseLong(line(in).split(";", 2)[0].strip(), 16);
            } catch (NumberFormatException e) {
                throw new IOException("the answer is no HTTP", e);
            }
            ended = left == 0;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    static HttpTimeoutException late(Duration timeout) {
        return new HttpTimeoutException("no answer within " + timeout.toSeconds() + " s");
    }
}
