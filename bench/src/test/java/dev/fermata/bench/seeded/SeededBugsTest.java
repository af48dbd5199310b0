package dev.fermata.bench.seeded;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Torture finds bugs that are planted on purpose. {@code fermata bench bugs} plants all of them, over more seeds. */
class SeededBugsTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a failed write counts as done",
                "a snapshot is one entry ahead",
                "orders are sent before they are durable",
                "clients are answered before it is durable",
                "a key of an earlier cycle is not found",
            })
    void isFoundWithinAFewSeeds(String title) throws IOException {
        SeededBug bug = SeededBug.all().stream()
                .filter(one -> one.title().equals(title))
                .findFirst()
                .orElseThrow();
        assertThat(new SeededBugSearch(ROOT, 1, 30).search(bug).isAlwaysFound()).isTrue();
    }

    @Test
    void everyBugHasItsPlaceInTheSources() throws IOException {
        assertThat(SeededBug.all()).hasSizeGreaterThan(30);
        for (SeededBug bug : SeededBug.all()) {
            assertThat(bug.plantedIn(ROOT)).as(bug.title()).contains(bug.after());
        }
    }
}
