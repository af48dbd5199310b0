package dev.fermata.report.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StructuredOutputTest {
    @Test
    void everyRowOfATableHasTheColumnsOfItsHeader() {
        String csv = write(
                OutputFormat.CSV,
                List.of(
                        new TreeMap<>(Map.of("id", 1, "state", "PENDING")),
                        new TreeMap<>(Map.of("exitCode", 3, "id", 2, "state", "FAILED")),
                        new TreeMap<>(Map.of("id", 3, "progress", Map.of("step", 7)))));

        assertThat(csv).isEqualTo("id,state,exitCode,progress.step\n1,PENDING,,\n2,FAILED,3,\n3,,,7\n");
    }

    @Test
    void nothingIsATableWithoutAHeader() {
        assertThat(write(OutputFormat.CSV, List.of())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"7.1", "12.10", "10", "-1", "true", "null"})
    void textThatLooksLikeANumberStaysText(String run) throws IOException {
        JsonNode read =
                new ObjectMapper(new YAMLFactory()).readTree(write(OutputFormat.YAML, List.of(Map.of("run", run))));

        assertThat(read.path(0).path("run").isTextual()).isTrue();
        assertThat(read.path(0).path("run").asText()).isEqualTo(run);
    }

    private static String write(OutputFormat format, List<Map<String, Object>> records) {
        StringWriter text = new StringWriter();
        StructuredOutput.write(format, records, new PrintWriter(text));
        return text.toString();
    }
}
