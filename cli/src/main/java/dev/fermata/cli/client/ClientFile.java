package dev.fermata.cli.client;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.live.access.PeerAccount;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The file with the daemon's address for the clients of one user: {@code {"url", "socket", "certificate"}}. It holds no secret: the
 * socket needs none. A file that others could have written is refused.
 */
public final class ClientFile {
    public static final String NAME = "client.json";

    private static final Set<PosixFilePermission> OWNER = EnumSet.of(
            PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE);
    private static final ObjectMapper JSON = new ObjectMapper();

    private ClientFile() {}

    /** What the file says; empty when there is none. */
    public static Optional<DaemonAddress> read(Path file) {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            requirePrivate(file);
            JsonNode content = JSON.readTree(Files.readAllBytes(file));
            String url = content.path("url").asText();
            if (url.isEmpty()) {
                throw unusable(file, "it names no url");
            }
            String socket = content.path("socket").asText();
            return Optional.of(new DaemonAddress(
                    URI.create(url),
                    socket.isEmpty() ? null : Path.of(socket),
                    "",
                    content.path("certificate").asText(),
                    false));
        } catch (JacksonException | IllegalArgumentException e) {
            throw unusable(file, "it is no JSON with a url");
        } catch (IOException e) {
            throw UserError.failed("'" + file + "' cannot be read: " + e.getMessage(), e);
        }
    }

    private static UserError unusable(Path file, String why) {
        return UserError.failed("'" + file + "' is not usable: " + why + ".\nRemove it and start the daemon again ("
                + ProgramName.TYPED + " up), or name the daemon by --url.");
    }

    private static void requirePrivate(Path file) throws IOException {
        if (!file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return;
        }
        Set<PosixFilePermission> allowed = Files.getPosixFilePermissions(file);
        if (!OWNER.containsAll(allowed)) {
            throw UserError.failed("'" + file + "' may be read or written by others ("
                    + PosixFilePermissions.toString(allowed) + ").\nMake it yours alone: chmod 600 '" + file + "'");
        }
        int owner = (Integer) Files.getAttribute(file, "unix:uid");
        int self = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        if (owner != self) {
            throw UserError.failed("'" + file + "' belongs to another user (" + Files.getOwner(file)
                    + "): not used.\nName the daemon by --url and give your token by FERMATA_TOKEN.");
        }
    }

    /** Replaces the file. It is never readable by others, not even for a moment. */
    public static void write(Path file, DaemonAddress address) {
        ObjectNode content = JSON.createObjectNode().put("url", address.url().toString());
        if (address.socket() != null) {
            content.put("socket", address.socket().toString());
        }
        if (!address.certificate().isEmpty()) {
            content.put("certificate", address.certificate());
        }
        Path folder = Objects.requireNonNull(file.toAbsolutePath().getParent());
        Path part = folder.resolve("." + NAME + "." + ProcessHandle.current().pid());
        try {
            Files.createDirectories(folder);
            Files.deleteIfExists(part);
            Files.createFile(part, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.write(part, (content.toPrettyString() + "\n").getBytes(StandardCharsets.UTF_8));
            Files.move(part, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            throw UserError.failed(
                    "cannot write '" + file + "': " + (e.getReason() == null ? e.getMessage() : e.getReason()), e);
        } catch (IOException e) {
            throw UserError.failed("cannot write '" + file + "': " + e.getMessage(), e);
        }
    }

    /**
     * Where the daemon is: what was named by flag or environment, then a socket of this machine, then the default address. A token
     * goes to an address that the user named, to a socket, or to a port of the user's own or of root; to no other.
     *
     * @param url empty when none was named
     * @param token likewise
     */
    public static DaemonAddress find(String url, String token, Map<String, String> environment) {
        Optional<DaemonAddress> known = read(ClientPaths.clientFile(environment));
        if (url.startsWith(DaemonAddress.SOCKET_SCHEME)) {
            return DaemonAddress.at(socketPath(url), token, true);
        }
        if (!url.isEmpty()) {
            URI named = parse(url);
            Optional<DaemonAddress> same = known.filter(file -> file.url().equals(named));
            Path socket = token.isEmpty() ? same.map(DaemonAddress::socket).orElse(null) : null;
            return new DaemonAddress(
                    named, socket, token, same.map(DaemonAddress::certificate).orElse(""), true);
        }
        List<Path> sockets = new ArrayList<>();
        known.map(DaemonAddress::socket).ifPresent(sockets::add);
        sockets.add(ClientPaths.dataFolder(environment).resolve(PeerAccount.SOCKET));
        sockets.add(ClientPaths.SYSTEM_FOLDER.resolve(PeerAccount.SOCKET));
        return sockets.stream()
                .filter(SocketTransport::isListening)
                .findFirst()
                .or(() -> sockets.stream().filter(Files::exists).findFirst().filter(stale -> token.isEmpty()))
                .map(socket -> DaemonAddress.at(socket, token, false))
                .orElseGet(() -> atDefaultPort(token));
    }

    private static DaemonAddress atDefaultPort(String token) {
        URI url = URI.create(DaemonAddress.DEFAULT_URL);
        if (!token.isEmpty() && LoopbackPort.isOfAnotherAccount(url.getPort())) {
            throw UserError.unreachable(
                    "what listens at " + url + " belongs to another account, which would get your token.\n"
                            + "If that is right, name it: --url " + url);
        }
        return DaemonAddress.at(url, token, "", false);
    }

    private static Path socketPath(String url) {
        try {
            Path path = Path.of(url.substring(DaemonAddress.SOCKET_SCHEME.length()));
            if (path.isAbsolute()) {
                return path;
            }
        } catch (InvalidPathException e) {
            // said below
        }
        throw UserError.invalid("--url (" + url + ") must be the whole path of a socket, such as unix:"
                + ClientPaths.SYSTEM_FOLDER.resolve(PeerAccount.SOCKET));
    }

    private static URI parse(String url) {
        try {
            URI parsed = URI.create(url);
            boolean http = "http".equals(parsed.getScheme()) || "https".equals(parsed.getScheme());
            if (http && parsed.getHost() != null && parsed.getUserInfo() == null) {
                String text = parsed.toString();
                return text.endsWith("/") ? URI.create(text.substring(0, text.length() - 1)) : parsed;
            }
        } catch (IllegalArgumentException e) {
            // said below
        }
        throw UserError.invalid("--url (" + url + ") must be an address such as " + DaemonAddress.DEFAULT_URL);
    }
}
