package dev.fermata.live.api;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;

/** A raw HTTP client that can break the protocol. */
final class RawHttp implements Closeable {
    private final Socket socket;

    RawHttp(int port) throws IOException {
        socket = new Socket(java.net.InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(20_000);
    }

    RawHttp send(String text) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(text.getBytes(ISO_8859_1));
        out.flush();
        return this;
    }

    /** Everything until the server closes. */
    String readAll() throws IOException {
        return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }

    /** The status of the response, 0 when the connection is closed without one. */
    int status() throws IOException {
        String entry = readLine();
        return entry.isEmpty() ? 0 : Integer.parseInt(entry.split(" ", 3)[1]);
    }

    String readLine() throws IOException {
        StringBuilder entry = new StringBuilder();
        InputStream in = socket.getInputStream();
        for (int c = in.read(); c >= 0 && c != '\n'; c = in.read()) {
            entry.append((char) c);
        }
        return entry.toString().strip();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
