package dev.fermata.insight.saved;

import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.sim.kernel.Simulation;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/** SHA-256 of texts, of files, and of the program itself. */
final class ContentDigest {
    private static final int BUFFER = 1 << 16;

    private ContentDigest() {}

    static String ofText(String text) {
        MessageDigest digest = sha256();
        update(digest, text);
        return hex(digest);
    }

    /** Of a file's content, or of all that a folder holds. */
    static String ofFile(Path path) {
        MessageDigest digest = sha256();
        try {
            for (Path file : files(path)) {
                update(digest, path.relativize(file).toString());
                content(digest, file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return hex(digest);
    }

    /** Of the code that is running: another build may give other results under the same version number. */
    static String ofProgram() {
        Set<Path> places = new TreeSet<>();
        for (Class<?> one : List.of(Scheduler.class, Simulation.class, ContentDigest.class)) {
            places.add(location(one));
        }
        StringBuilder all = new StringBuilder();
        for (Path place : places) {
            all.append(Files.isDirectory(place) ? ofFile(place) : checksums(place));
        }
        return ofText(all.toString());
    }

    private static Path location(Class<?> one) {
        try {
            return Path.of(
                    one.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A jar has the checksum of every entry in its directory: no need to read it all. */
    private static String checksums(Path jar) {
        try (JarFile file = new JarFile(jar.toFile(), false);
                Stream<JarEntry> entries = file.stream()) {
            return entries.map(entry -> entry.getName() + " " + entry.getCrc())
                    .sorted()
                    .toList()
                    .toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Path> files(Path path) throws IOException {
        try (Stream<Path> inside = Files.walk(path)) {
            return inside.filter(Files::isRegularFile).sorted().toList();
        }
    }

    private static void content(MessageDigest digest, Path file) throws IOException {
        update(digest, " " + Files.size(file) + " ");
        byte[] buffer = new byte[BUFFER];
        try (InputStream in = Files.newInputStream(file)) {
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                digest.update(buffer, 0, n);
            }
        }
    }

    private static void update(MessageDigest digest, String text) {
        digest.update(text.getBytes(StandardCharsets.UTF_8));
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }

    private static String hex(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }
}
