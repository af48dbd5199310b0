package dev.fermata.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The files of the page by their path below its root. {@code files.txt} lists them; a test compares it with the folder. */
public final class PageFiles {
    /** The page itself: every view is drawn in it. */
    public static final String SHELL = "index.html";

    private PageFiles() {}

    public static Map<String, byte[]> load() {
        Map<String, byte[]> files = new LinkedHashMap<>();
        for (String name : names()) {
            files.put(name, read(name));
        }
        return files;
    }

    static List<String> names() {
        return new String(read("files.txt"), UTF_8)
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .toList();
    }

    private static byte[] read(String name) {
        try (InputStream in = PageFiles.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the page has no file " + name);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("file " + name + " of the page cannot be read", e);
        }
    }
}
