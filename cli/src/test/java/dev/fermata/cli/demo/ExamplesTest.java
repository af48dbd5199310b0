package dev.fermata.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.fermata.live.spec.JobFileParser;
import dev.fermata.live.spec.JobSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The job files next to the examples of the Python helper. */
class ExamplesTest {
    private static final Path FOLDER = Path.of("..", "python", "examples");

    @Test
    void everyJobFileIsAcceptedAndRunsAScriptThatIsThere() throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(FOLDER)) {
            files = all.filter(file -> file.toString().endsWith(".yaml")).toList();
        }
        assertThat(files).hasSizeGreaterThanOrEqualTo(3);
        for (Path file : files) {
            JsonNode document = new YAMLMapper().readTree(file.toFile());
            JobSpec spec = JobFileParser.parse(document).get(0);
            String script = spec.run().split(" ")[1];
            assertThat(FOLDER.resolve(script)).as(file.toString()).isRegularFile();
        }
    }
}
