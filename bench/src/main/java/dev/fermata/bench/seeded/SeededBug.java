package dev.fermata.bench.seeded;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A bug: one piece of one source file, and what stands there instead.
 *
 * @param title what goes wrong
 * @param place the part of the daemon
 * @param file the source file, below the root of the source tree
 */
public record SeededBug(String title, String place, String file, String before, String after) {
    private static final String LIST = "bugs.txt";

    /** All of them, in the order of the file. */
    public static List<SeededBug> all() {
        List<SeededBug> bugs = new ArrayList<>();
        for (String block : read().split("\n\n", -1)) {
            List<String> lines =
                    block.lines().filter(line -> !line.startsWith("//")).toList();
            if (lines.size() == 4) {
                String[] head = lines.get(0).split(": ", 2);
                bugs.add(new SeededBug(
                        head[1],
                        head[0],
                        lines.get(1),
                        lines.get(2).substring(2),
                        lines.get(3).substring(1).strip()));
            } else if (!lines.isEmpty()) {
                throw new IllegalStateException(LIST + ": not four lines: " + block);
            }
        }
        return bugs;
    }

    private static String read() {
        try (InputStream in = SeededBug.class.getResourceAsStream(LIST)) {
            return new String(Objects.requireNonNull(in, LIST).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The source with the bug. */
    String plantedIn(Path root) throws IOException {
        String source = Files.readString(root.resolve(file));
        int at = source.indexOf(before);
        if (at < 0 || source.indexOf(before, at + 1) >= 0) {
            throw new IllegalStateException("the bug (" + title + ") needs this text once in " + file + ": " + before);
        }
        return source.substring(0, at) + after + source.substring(at + before.length());
    }
}
