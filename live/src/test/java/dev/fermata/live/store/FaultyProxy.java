package dev.fermata.live.store;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A network between a store and its server that can freeze, or break during a commit. */
final class FaultyProxy implements AutoCloseable {
    private final ServerSocket listener;
    private final int server;
    private final List<Closeable> open = new CopyOnWriteArrayList<>();
    private volatile boolean frozen;
    private volatile boolean cutAfterCommit;

    FaultyProxy(int server) throws IOException {
        this.server = server;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** While frozen, nothing passes and no error is reported. */
    synchronized void freeze(boolean on) {
        frozen = on;
        notifyAll();
    }

    /** The server executes the next commit; its answer is lost. */
    void cutAfterCommit() {
        cutAfterCommit = true;
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "wire");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                ProxyLink link = new ProxyLink(listener.accept(), new Socket(InetAddress.getLoopbackAddress(), server));
                start(link::request);
                start(link::answer);
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private synchronized void waitWhileFrozen() throws InterruptedException {
        while (frozen) {
            wait();
        }
    }

    private final class ProxyLink {
        private final Socket clientSide;
        private final Socket serverSide;

        ProxyLink(Socket near, Socket far) {
            this.clientSide = near;
            this.serverSide = far;
            open.add(near);
            open.add(far);
        }

        void request() {
            pump(clientSide, serverSide, false);
        }

        void answer() {
            pump(serverSide, clientSide, true);
        }

        private void pump(Socket from, Socket to, boolean answers) {
            byte[] buffer = new byte[65536];
            try (from;
                    to) {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int read = in.read(buffer); read > 0; read = in.read(buffer)) {
                    waitWhileFrozen();
                    if (answers && cutAfterCommit && new String(buffer, 0, read, ISO_8859_1).contains("COMMIT")) {
                        cutAfterCommit = false;
                        return;
                    }
                    out.write(buffer, 0, read);
                }
            } catch (IOException | InterruptedException e) {
                // One end is closed, and the other follows.
            }
        }
    }

    @Override
    public void close() throws IOException {
        freeze(false);
        listener.close();
        for (Closeable socket : open) {
            socket.close();
        }
    }
}
