package dev.fermata.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.policy.Param;
import dev.fermata.core.policy.PolicyCatalogue;
import dev.fermata.core.policy.PolicyInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every policy of the catalogue has its page, and the page knows every parameter. */
class PolicyPagesTest {
    private static final Path PAGES = folder();
    private static final Pattern LINK = Pattern.compile("(?m)^\\| \\[([\\w-]+)]\\(\\1\\.md\\)");

    static Stream<String> policies() {
        return PolicyCatalogue.names().stream();
    }

    @ParameterizedTest
    @MethodSource("policies")
    void everyPolicyHasAPageThatNamesItsParameters(String name) throws IOException {
        Path page = PAGES.resolve(name + ".md");
        assertThat(page).isRegularFile();
        PolicyInfo policy = PolicyCatalogue.find(name);

        assertThat(Files.readString(page))
                .startsWith("# ")
                .contains(policy.params().stream()
                        .map(Param::name)
                        .map(param -> "`" + param + "`")
                        .toList());
    }

    @Test
    void theIndexIsInTheOrderOfTheCatalogue() throws IOException {
        List<String> linked = LINK.matcher(Files.readString(PAGES.resolve("README.md")))
                .results()
                .map((MatchResult link) -> link.group(1))
                .toList();

        assertThat(linked).filteredOn(PolicyCatalogue.names()::contains).isEqualTo(PolicyCatalogue.names());
    }

    @Test
    void theIndexExplainsEveryPlacement() throws IOException {
        List<String> places = PolicyCatalogue.find("fifo").params().stream()
                .filter(param -> param.name().equals("place"))
                .flatMap(param -> param.choices().stream())
                .toList();

        assertThat(places).isNotEmpty();
        assertThat(Files.readString(PAGES.resolve("README.md")))
                .contains(places.stream().map(place -> "\n| `" + place + "` |").toList());
    }

    private static Path folder() {
        Path start = Path.of(System.getProperty("user.dir")).toAbsolutePath();
        for (Path dir = start; dir != null; dir = dir.getParent()) {
            if (Files.isDirectory(dir.resolve(".mvn"))) {
                return dir.resolve("docs/research/policies");
            }
        }
        throw new IllegalStateException("no folder with .mvn at or above " + start);
    }
}
