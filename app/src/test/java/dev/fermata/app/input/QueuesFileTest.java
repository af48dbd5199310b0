package dev.fermata.app.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.model.QueueRule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueuesFileTest {
    @TempDir
    private Path folder;

    @Test
    void everyNumberIsOptional() throws IOException {
        Path file = write("queues:\n  research: {guarantee: 4, weight: 2}\n  research/nlp: {limit: 6}\n  teaching:\n");

        assertThat(QueuesFile.rules(file))
                .containsExactly(
                        new QueueRule("research", 4, QueueRule.NO_LIMIT, 2),
                        new QueueRule("research/nlp", 0, 6, 1),
                        new QueueRule("teaching", 0, QueueRule.NO_LIMIT, 1));
        assertThat(QueuesFile.read(file).toString())
                .isEqualTo("{\"queues\":[{\"path\":\"research\",\"guarantee\":4,\"weight\":2.0},"
                        + "{\"path\":\"research/nlp\",\"guarantee\":0,\"limit\":6,\"weight\":1.0},"
                        + "{\"path\":\"teaching\",\"guarantee\":0,\"weight\":1.0}]}");
    }

    @Test
    void mistakesAreNamedByLine() throws IOException {
        Path wrongKey = write("queues:\n  a: {limitt: 3}\n");
        assertThatThrownBy(() -> QueuesFile.rules(wrongKey))
                .hasMessageContaining(":2: unknown key 'limitt'")
                .hasMessageContaining("'limit'");
        Path wrongValues = write("queues:\n  b: {}\n  a: {guarantee: 5, limit: 3}\n");
        assertThatThrownBy(() -> QueuesFile.rules(wrongValues))
                .hasMessageContaining(":3: queues.a")
                .hasMessageContaining("must not be below");
    }

    private Path write(String text) throws IOException {
        return Files.writeString(Files.createTempFile(folder, "queues", ".yaml"), text);
    }
}
