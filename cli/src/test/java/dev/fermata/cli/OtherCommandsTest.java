package dev.fermata.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.cli.option.Invocation;
import dev.fermata.core.policy.PolicyCatalogue;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.report.text.Screen;
import dev.fermata.sim.profile.ModelCatalogue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
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
                "policies --help",
                "profiles --help",
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
                .hasSizeGreaterThan(PolicyCatalogue.names().size());
        JsonNode json = new ObjectMapper()
                .readTree(CommandRun.of("policies", "-o", "json").out());
        assertThat(json).hasSameSizeAs(PolicyCatalogue.names());
        assertThat(json.get(0).get("name").asText())
                .isEqualTo(PolicyCatalogue.names().get(0));
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
    void aNarrowTerminalShowsThePoliciesInAFewLines() {
        Invocation narrow =
                new Invocation(Map.of(), Path.of("no-such-folder"), new Screen(true, false, 80), new Interruption());

        CommandRun run = CommandRun.in(narrow, "policies");

        assertThat(run.lines())
                .hasSizeLessThan(3 * PolicyCatalogue.names().size())
                .noneMatch(line -> line.length() > 80);
        assertThat(run.out()).contains("-o wide").doesNotContain("Tiresias");
        assertThat(CommandRun.in(narrow, "policies", "-o", "wide").out()).contains("Tiresias", "needs estimates");
    }
}
