package dev.fermata.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The list of files is complete, and no source can turn text of users into markup or code. */
class PageFilesTest {
    private static final Path SOURCES = Path.of("src/main/resources/dev/fermata/web");
    private static final String LIBRARY = "lit-html/lit-html.js";

    private static List<String> sources() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> SOURCES.relativize(file).toString())
                    .filter(name -> !name.equals("files.txt"))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void theListNamesEveryFileAndTheLibrary() throws IOException {
        List<String> expected =
                Stream.concat(sources().stream(), Stream.of(LIBRARY)).sorted().toList();

        assertThat(PageFiles.names()).containsExactlyElementsOf(expected);
        assertThat(PageFiles.load()).containsOnlyKeys(expected.toArray(String[]::new));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document\\.write",
                "unsafeHTML",
                "unsafeSVG",
                "\\beval\\b",
                "new Function",
                "javascript:",
                "\\sstyle=",
                "\\son[a-z]+="
            })
    void noSourceMakesMarkupOrCodeOfText(String forbidden) throws IOException {
        for (String name : sources()) {
            assertThat(Files.readString(SOURCES.resolve(name))).as(name).doesNotContainPattern(forbidden);
        }
    }

    @Test
    void everyImportNamesAFileOfThePage() throws IOException {
        Pattern imported = Pattern.compile("from '([^']+)'");
        for (String name : sources()) {
            Matcher from = imported.matcher(Files.readString(SOURCES.resolve(name)));
            while (from.find()) {
                String path = Path.of("/" + name)
                        .resolveSibling(from.group(1))
                        .normalize()
                        .toString()
                        .substring(1);
                assertThat(PageFiles.names()).as(name).contains(path);
            }
        }
    }

    @Test
    void nothingComesFromElsewhere() throws IOException {
        for (String name : sources()) {
            assertThat(Files.readString(SOURCES.resolve(name)).replace("http://www.w3.org/2000/svg", ""))
                    .as(name)
                    .doesNotContainPattern("https?://");
        }
    }
}
