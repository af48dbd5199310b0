package dev.fermata.app.client;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.app.exit.Complaint;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * The file that tells clients of one user where the daemon is, with the token to enter: {@code {"url", "token", "certificate"}}. Nobody
 * else may read it, and one that others could have written is not believed.
 */
public final class ClientFile {
    public static final String NAME = "client.json";

    private static final Set<PosixFilePermission> OWNER = EnumSet.of(
            PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE);
    private static final ObjectMapper JSON = new ObjectMapper();

    private ClientFile() {}

    /** What the file says; empty when there is none. */
    public static Optional<Address> read(Path file) {
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            refuseIfNotPrivate(file);
            JsonNode said = JSON.readTree(Files.readAllBytes(file));
            String url = said.path("url").asText();
            if (url.isEmpty()) {
                throw unreadable(file, "it names no url");
            }
            return Optional.of(new Address(
                    URI.create(url),
                    said.path("token").asText(),
                    said.path("certificate").asText(),
                    false));
        } catch (JacksonException | IllegalArgumentException e) {
            throw unreadable(file, "it is no JSON with a url");
        } catch (IOException e) {
            throw Complaint.failed("'" + file + "' cannot be read: " + e.getMessage(), e);
        }
    }

    private static Complaint unreadable(Path file, String why) {
        return Complaint.failed("'" + file + "' is not usable: " + why
                + ".\nRemove it and start the daemon again (./fermata up), or name the daemon by --url.");
    }

    private static void refuseIfNotPrivate(Path file) throws IOException {
        if (!Files.getFileStore(file).supportsFileAttributeView("posix")) {
            return;
        }
        Set<PosixFilePermission> allowed = Files.getPosixFilePermissions(file);
        if (!OWNER.containsAll(allowed)) {
            throw Complaint.failed("'" + file + "' holds a token and may be read or written by others ("
                    + PosixFilePermissions.toString(allowed) + ").\nMake it yours alone: chmod 600 '" + file + "'");
        }
        int owner = (Integer) Files.getAttribute(file, "unix:uid");
        int self = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        if (owner != self) {
            throw Complaint.failed("'" + file + "' belongs to another user (" + Files.getOwner(file)
                    + "): not believed.\nName the daemon by --url and give your token by FERMATA_TOKEN.");
        }
    }

    /** Replaces the file. It is never readable by others, not even for a moment. */
    public static void write(Path file, Address address) {
        ObjectNode said =
                JSON.createObjectNode().put("url", address.url().toString()).put("token", address.token());
        if (!address.certificate().isEmpty()) {
            said.put("certificate", address.certificate());
        }
        Path folder = Objects.requireNonNull(file.toAbsolutePath().getParent());
        Path part = folder.resolve("." + NAME + "." + ProcessHandle.current().pid());
        try {
            Files.createDirectories(folder);
            Files.deleteIfExists(part);
            Files.createFile(part, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.write(part, (said.toPrettyString() + "\n").getBytes(StandardCharsets.UTF_8));
            Files.move(part, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (FileSystemException e) {
            throw Complaint.failed(
                    "cannot write '" + file + "': " + (e.getReason() == null ? e.getMessage() : e.getReason()), e);
        } catch (IOException e) {
            throw Complaint.failed("cannot write '" + file + "': " + e.getMessage(), e);
        }
    }

    /**
     * Where the daemon is: what was named by flag or environment, then the user's file, then the default address.
     *
     * @param url empty when nobody named one
     * @param token likewise
     */
    public static Address find(String url, String token, Map<String, String> environment) {
        if (!url.isEmpty()) {
            URI named = parse(url);
            Optional<Address> known = read(Places.clientFile(environment))
                    .filter(file -> file.url().equals(named));
            // A token goes only to the daemon that it was made for.
            return new Address(
                    named,
                    token.isEmpty() ? known.map(Address::token).orElse("") : token,
                    known.map(Address::certificate).orElse(""),
                    true);
        }
        Address found = read(Places.clientFile(environment))
                .orElseGet(() -> new Address(URI.create(Address.DEFAULT_URL), "", "", false));
        return new Address(found.url(), token.isEmpty() ? found.token() : token, found.certificate(), false);
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
        throw Complaint.invalid("--url (" + url + ") must be an address such as " + Address.DEFAULT_URL);
    }
}
