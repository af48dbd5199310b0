package dev.fermata.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.app.exit.Interruption;
import dev.fermata.app.output.Screen;
import dev.fermata.core.policy.Catalogue;
import dev.fermata.sim.profile.ModelCatalogue;
import dev.fermata.sim.reproduce.Reproductions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OtherCommandsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--help",
                "up --help",
                "submit --help",
                "ls --help",
                "queue --help",
                "ps --help",
                "logs --help",
                "explain --help",
                "describe --help",
                "top --help",
                "cancel --help",
                "kill --help",
                "hold --help",
                "release --help",
                "update --help",
                "nodes --help",
                "drain --help",
                "undrain --help",
                "queues --help",
                "queues apply --help",
                "history --help",
                "events --help",
                "diag --help",
                "token --help",
                "token create --help",
                "token ls --help",
                "token revoke --help",
                "audit --help",
                "simulate --help",
                "compare --help",
                "reproduce --help",
                "policies --help",
                "profiles --help",
                "bench --help",
                "bench sim --help",
                "bench decide --help",
                "bench place --help",
                "bench read --help",
                "bench store --help",
                "bench fidelity --help",
                "replay --help",
                "tune --help",
                "trace --help",
                "trace inspect --help",
                "trace convert --help",
                "trace sample --help",
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

    @Test
    void theModelsAreListedWithTheirFigures() throws IOException {
        assertThat(CommandRun.of("profiles").lines())
                .hasSizeGreaterThan(ModelCatalogue.names().size())
                .anyMatch(line -> line.startsWith("resnet50 ") && line.contains("321 ms") && line.contains("1.6s"));
        JsonNode json = new ObjectMapper()
                .readTree(CommandRun.of("profiles", "-o", "json").out());
        assertThat(json).hasSameSizeAs(ModelCatalogue.names());
        assertThat(json.findValuesAsText("name")).containsAll(ModelCatalogue.names());
        assertThat(json.get(1).get("iterationSeconds").asDouble()).isEqualTo(0.321);
    }

    @Test
    void oneModelIsShownWithMeasurementsAndSources() {
        assertThat(CommandRun.of("profiles", "ResNet-50").out())
                .contains(
                        "resnet50:",
                        "published: Xonar",
                        "measured: H200",
                        "56.2 ms",
                        "Gavel",
                        "ElasticFlow",
                        "Fermata");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bash", "zsh"})
    void completionKnowsCommandsAndPolicies(String shell) {
        assertThat(CommandRun.of("completion", shell).out())
                .contains("simulate", "--jobs-out", "gittins", "--models", "efficientnet-b0")
                .contains("submit", "--idempotency-key", "explain", "undrain", "revoke", "pending", "operator");
    }

    @Test
    void completionKnowsEveryPaper() {
        String papers = PaperNames.of(Reproductions.all()).stream()
                .map(name -> '"' + name + '"')
                .collect(Collectors.joining(" "));

        assertThat(CommandRun.of("completion", "bash").lines())
                .anyMatch(line -> line.contains("PAPER_pos_param_args=(" + papers + ")"));
    }

    @Test
    void aNarrowTerminalShowsThePoliciesInAFewLines() {
        Surroundings narrow =
                new Surroundings(Map.of(), Path.of("no-such-folder"), new Screen(true, false, 80), new Interruption());

        CommandRun run = CommandRun.in(narrow, "policies");

        assertThat(run.lines()).hasSizeLessThan(3 * Catalogue.names().size()).noneMatch(line -> line.length() > 80);
        assertThat(run.out()).contains("-o wide").doesNotContain("Tiresias");
        assertThat(CommandRun.in(narrow, "policies", "-o", "wide").out()).contains("Tiresias", "needs estimates");
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
    void benchStoreMeasuresADurableStore() throws IOException {
        CommandRun run = CommandRun.of("bench", "store", "--quick", "--jobs", "500", "-o", "json");

        assertThat(run.code()).isZero();
        JsonNode json = new ObjectMapper().readTree(run.out());
        assertThat(json).hasSize(1);
        assertThat(json.get(0).get("store").asText()).startsWith("sqlite:");
        assertThat(json.get(0).get("singleAppendsPerSecond").asDouble()).isPositive();
        assertThat(json.get(0).get("historyJobs").asInt()).isGreaterThan(500);
        assertThat(json.get(0).get("firstPageMillis").asDouble()).isPositive();
    }

    @Test
    void benchStoreSaysWhenThereIsNoSuchServer() {
        CommandRun run = CommandRun.of("bench", "store", "--quick", "--jobs", "500", "--store", "mysql://a:secret@b/c");

        assertThat(run.code()).isNotZero();
        assertThat(run.err()).contains("postgresql://").doesNotContain("secret");
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
