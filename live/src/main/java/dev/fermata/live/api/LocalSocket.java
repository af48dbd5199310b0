package dev.fermata.live.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.live.access.PeerAccount;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.unixdomain.server.UnixDomainServerConnector;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Unix socket in the data folder, by which accounts of this machine call the API without a token: the kernel says who
 * calls. Only the leader has it. It replaces the socket of an earlier leader, and never removes that of a later one.
 */
final class LocalSocket implements AutoCloseable {
    /** The longest path that a Unix socket can have on Linux, without the final zero. */
    static final int MAX_PATH_BYTES = 107;

    private static final Logger LOG = LoggerFactory.getLogger(LocalSocket.class);
    private static final String PEER = LocalSocket.class.getName();

    private final Server server;
    private final UnixDomainServerConnector connector;
    private final Path path;
    private final Object identity;

    private LocalSocket(Server server, UnixDomainServerConnector connector, Path path) throws IOException {
        this.server = server;
        this.connector = connector;
        this.path = path;
        this.identity = identity(path);
    }

    /**
     * Where the socket is: in the data folder, or in a new private folder where that path would be too long.
     *
     * @param others whether accounts other than the daemon's may connect
     */
    static Path place(Path data, boolean others) throws IOException {
        Path usual = data.resolve(PeerAccount.SOCKET);
        if (fits(usual)) {
            return usual;
        }
        Path folder = Files.createTempDirectory("fermata");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString(others ? "rwx--x--x" : "rwx------"));
        return folder.resolve(PeerAccount.SOCKET);
    }

    private static boolean fits(Path path) {
        return boundPath(path).toString().getBytes(UTF_8).length <= MAX_PATH_BYTES;
    }

    private static Path boundPath(Path path) {
        return path.resolveSibling(
                "." + PeerAccount.SOCKET + "." + ProcessHandle.current().pid());
    }

    /** @param others whether accounts other than the daemon's may connect */
    static LocalSocket open(Server server, UnixDomainServerConnector connector, Path data, boolean others) {
        try {
            Path path = place(data, others);
            Path bound = boundPath(path);
            Files.deleteIfExists(bound);
            connector.setUnixDomainPath(bound);
            server.addConnector(connector);
            connector.start();
            Files.setPosixFilePermissions(bound, PosixFilePermissions.fromString(others ? "rw-rw-rw-" : "rw-------"));
            Files.move(bound, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            LOG.info("API server: listening on {}", path);
            return new LocalSocket(server, connector, path);
        } catch (Exception e) {
            throw new IllegalStateException("cannot listen on a socket in " + data + ": " + e.getMessage(), e);
        }
    }

    static UnixDomainServerConnector connector(Server server, HttpConfiguration http) {
        HttpConfiguration own = new HttpConfiguration(http);
        own.addCustomizer(LocalSocket::identify);
        return new UnixDomainServerConnector(server, 1, 1, new HttpConnectionFactory(own));
    }

    /** Asks the kernel once for each connection. */
    private static Request identify(Request request, HttpFields.Mutable headers) {
        var connection = request.getConnectionMetaData();
        Object known = connection.getAttribute(PEER);
        if (known == null && connection.getConnection().getEndPoint().getTransport() instanceof SocketChannel channel) {
            try {
                known = PeerAccount.of(channel);
                connection.setAttribute(PEER, known);
            } catch (IOException e) {
                LOG.warn("local socket: the calling account is unknown: {}", e.toString());
            }
        }
        request.setAttribute(PEER, known);
        return request;
    }

    /** The account that sent the request over the socket; null for a request over TCP. */
    static @Nullable PeerAccount peer(HttpServletRequest request) {
        return (PeerAccount) request.getAttribute(PEER);
    }

    Path path() {
        return path;
    }

    @Override
    public void close() {
        try {
            connector.stop();
            server.removeConnector(connector);
            if (Files.exists(path) && identity(path).equals(identity)) {
                Files.delete(path);
            }
        } catch (Exception e) {
            LOG.warn("{}: close failed: {}", path, e.toString());
        }
    }

    private static Object identity(Path socket) throws IOException {
        return Files.getAttribute(socket, "unix:ino");
    }
}
