package dev.fermata.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.core.policy.Catalogue;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OtherCommandsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--help",
                "simulate --help",
                "compare --help",
                "policies --help",
                "bench --help",
                "bench sim --help",
                "bench decide --help",
                "bench place --help",
                "completion --help"
            })
    void helpHasAnExample(String commandLine) {
        CommandRun run = CommandRun.of(commandLine.split(" "));

        assertThat(run.code()).isZero();
        assertThat(run.out()).contains("Usage: fermata").containsPattern("(Examples?|Start here):");
    }

    @Test
    void versionNamesJavaToo() {
        assertThat(CommandRun.of("--version").out()).startsWith("fermata ").contains("(Java ");
    }

    @Test
    void theCatalogueListsEveryPolicy() throws IOException {
        assertThat(CommandRun.of("policies").lines())
                .hasSizeGreaterThan(Catalogue.names().size());
        JsonNode json = new ObjectMapper()
                .readTree(CommandRun.of("policies", "-o", "json").out());
        assertThat(json).hasSameSizeAs(Catalogue.names());
        assertThat(json.get(0).get("name").asText()).isEqualTo(Catalogue.names().get(0));
    }

    @Test
    void onePolicyIsShownWithItsParameters() {
        assertThat(CommandRun.of("policies", "las").out())
                .contains("Tiresias", "queues", "1 to 16", "preemptive", "fermata simulate --policy las:");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh"})
    void completionKnowsCommandsAndPolicies(String shell) {
        assertThat(CommandRun.of("completion", shell).out()).contains("simulate", "--jobs-out", "gittins");
    }

    @Test
    void benchSimMeasuresEveryPolicyAsked() throws IOException {
        CommandRun run = CommandRun.of(
                "bench", "sim", "--policies", "fifo,srtf", "--cluster", "4x8", "--jobs", "3000", "-o", "json");

        assertThat(run.code()).isZero();
        JsonNode rows = new ObjectMapper().readTree(run.out());
        assertThat(rows).hasSize(2);
        assertThat(rows.get(1).get("events").asLong()).isGreaterThanOrEqualTo(9000);
        assertThat(rows.get(1).get("lastTenthMicrosPerEvent").asDouble()).isPositive();
    }

    @Test
    void benchPlaceTimesEverySizeBothWays() throws IOException {
        CommandRun run = CommandRun.of("bench", "place", "--sizes", "2x8,3x9", "--count", "20", "-o", "json");

        assertThat(run.code()).isZero();
        JsonNode rows = new ObjectMapper().readTree(run.out());
        assertThat(rows.findValuesAsText("market")).containsExactly("jv", "auction", "jv", "auction");
        assertThat(rows.findValuesAsText("workers")).containsExactly("8", "8", "9", "9");
        for (JsonNode row : rows) {
            assertThat(row.get("placements").asInt()).isEqualTo(20);
            assertThat(row.get("maxMillis").asDouble())
                    .isGreaterThanOrEqualTo(row.get("p50Millis").asDouble());
        }
    }

    @Test
    void benchDecideTellsStartsFromPreemptions() throws IOException {
        CommandRun run = CommandRun.of(
                "bench",
                "decide",
                "--policies",
                "srtf",
                "--cluster",
                "20x8",
                "--pending",
                "50",
                "--steps",
                "600",
                "-o",
                "json");

        assertThat(run.code()).isZero();
        JsonNode rows = new ObjectMapper().readTree(run.out());
        int steps = 0;
        for (JsonNode row : rows) {
            steps += row.get("steps").asInt();
            assertThat(row.get("maxMicros").asDouble())
                    .isGreaterThanOrEqualTo(row.get("p50Micros").asDouble());
        }
        assertThat(steps).isEqualTo(600);
        assertThat(rows.findValuesAsText("step")).contains("started", "preempted");
    }
}
