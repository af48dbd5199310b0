package dev.fermata.sim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Scenarios that an operator can read, in {@code src/test/resources/scenarios}: a cluster, a policy, timed submissions,
 * and every decision that must follow, with its reason.
 */
class GoldenScenarioTest {
    static Stream<String> scenarios() throws IOException {
        try (Stream<Path> files = Files.list(folder())) {
            return files.map(f -> String.valueOf(f.getFileName())).sorted().toList().stream();
        }
    }

    private static Path folder() {
        try {
            return Path.of(GoldenScenarioTest.class.getResource("/scenarios").toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    @ParameterizedTest
    @MethodSource("scenarios")
    void scenarioMatchesItsExpectation(String file) {
        GoldenScenario scenario = GoldenScenario.parse(lines(folder().resolve(file)));

        assertThat(String.join("\n", scenario.run())).isEqualTo(String.join("\n", scenario.expected()));
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
