package dev.fermata.live.hostile;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Copies of a class path that every account may read: the tests' own is often in the home of root. */
final class ReadableClassPath {
    private static final Map<String, String> COPIES = new HashMap<>();

    private ReadableClassPath() {}

    static synchronized String copy(String classPath) {
        return COPIES.computeIfAbsent(classPath, ReadableClassPath::copyAll);
    }

    private static String copyAll(String classPath) {
        try {
            Path folder = Files.createTempDirectory(
                    "fermata-classes",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-xr-x")));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder), "delete-classes"));
            List<String> parts = new ArrayList<>();
            for (String part : classPath.split(File.pathSeparator, -1)) {
                Path from = Path.of(part);
                if (Files.exists(from)) {
                    Path to = folder.resolve(parts.size() + "-" + from.getFileName());
                    copy(from, to);
                    parts.add(to.toString());
                }
            }
            return String.join(File.pathSeparator, parts);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Path copy = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(copy);
                } else {
                    Files.copy(file, copy);
                }
            }
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(java.util.Comparator.reverseOrder())
                    .forEach(file -> file.toFile().delete());
        } catch (IOException e) {
            // It is in the folder for temporary files.
        }
    }
}
