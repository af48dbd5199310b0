package dev.fermata.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Rules for the source tree as a whole that no compiler looks after. */
@Tag("tree")
class TidyTest {

    private static final int LONGEST = 500;
    private static final Set<String> EXCLUDED =
            Set.of(".git", "target", "out", ".idea", ".vscode", ".fermata", "node_modules");

    // Spelled in pieces, so that this file passes its own test.
    private static final Pattern OPEN_TASK = Pattern.compile("\\b(?:TO" + "DO|FIX" + "ME|XX" + "X)\\b");
    private static final Pattern DISABLED = Pattern.compile("@Dis" + "abled\\b");
    private static final Pattern MACHINE_PATH = Pattern.compile("(?<![\\w.})~-])/(?:home|work|root)/");

    private static Path root = Path.of("");
    private static List<Path> files = List.of();

    @BeforeAll
    static void listTheTree() throws IOException {
        root = findRoot();
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
                boolean skipped = !dir.equals(root) && EXCLUDED.contains(nameOf(dir));
                return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                // In a second worktree .git is a file.
                if (attributes.isRegularFile() && !EXCLUDED.contains(nameOf(file))) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        files = found.stream().sorted().toList();
        assertThat(javaFiles()).as("Java files under %s", root).isNotEmpty();
    }

    @Test
    void filesAreShort() {
        assertThat(javaFiles().stream()
                        .filter(file -> lines(file).size() > LONGEST)
                        .map(file -> show(file) + ": " + lines(file).size() + " lines"))
                .as("Java files longer than %d lines", LONGEST)
                .isEmpty();
    }

    @Test
    void noOpenTodos() {
        assertThat(hits(javaFiles(), OPEN_TASK)).isEmpty();
    }

    @Test
    void noTestIsDisabled() {
        assertThat(hits(javaFiles(), DISABLED)).isEmpty();
    }

    @Test
    void noTabs() {
        assertThat(hits(javaFiles(), Pattern.compile("\t"))).isEmpty();
    }

    @Test
    void noMachineSpecificPaths() {
        assertThat(hits(files.stream().filter(TidyTest::isText).toList(), MACHINE_PATH))
                .isEmpty();
    }

    @Test
    void everyPackageIsNullMarked() {
        Set<Path> packages = new TreeSet<>();
        for (Path file : javaFiles()) {
            if (show(file).contains("src/main/java/")) {
                packages.add(file.resolveSibling("package-info.java"));
            }
        }
        assertThat(packages.stream()
                        .filter(info ->
                                !Files.isRegularFile(info) || !lines(info).contains("@NullMarked"))
                        .map(TidyTest::show))
                .as("package-info.java that are missing or lack @NullMarked")
                .isEmpty();
    }

    private static Path findRoot() {
        Path start = Path.of(System.getProperty("user.dir")).toAbsolutePath();
        for (Path dir = start; dir != null; dir = dir.getParent()) {
            if (Files.isDirectory(dir.resolve(".mvn"))) {
                return dir;
            }
        }
        throw new IllegalStateException("no folder with .mvn at or above " + start);
    }

    private static List<Path> javaFiles() {
        return files.stream().filter(file -> nameOf(file).endsWith(".java")).toList();
    }

    private static List<String> hits(List<Path> where, Pattern what) {
        return where.stream()
                .flatMap(file -> {
                    List<String> lines = lines(file);
                    return IntStream.range(0, lines.size())
                            .filter(i -> what.matcher(lines.get(i)).find())
                            .mapToObj(i -> show(file) + ":" + (i + 1) + ": "
                                    + lines.get(i).strip());
                })
                .toList();
    }

    private static boolean isText(Path file) {
        try (var in = Files.newInputStream(file)) {
            for (byte b : in.readNBytes(8192)) {
                if (b == 0) {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> lines(Path file) {
        try {
            // Bytes that are no UTF-8 become replacement characters here instead of an exception.
            return new String(Files.readAllBytes(file), UTF_8).lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String nameOf(Path path) {
        return String.valueOf(path.getFileName());
    }

    private static String show(Path path) {
        return root.relativize(path).toString().replace('\\', '/');
    }
}
