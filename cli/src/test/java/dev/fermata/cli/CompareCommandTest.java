package dev.fermata.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.cli.option.Invocation;
import dev.fermata.core.policy.PolicyCatalogue;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.report.text.Screen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompareCommandTest {
    private static final String SMALL = "synthetic:jobs=80,load=1.2";

    @Test
    void rowsComeInAFixedOrderWhateverTheThreads() throws IOException {
        String[] one = {
            "compare",
            "--workload",
            SMALL,
            "--policies",
            "fifo,las:queues=3,threshold=100,srtf",
            "--seeds",
            "1..2",
            "-o",
            "json",
            "--threads",
            "1"
        };
        String[] many = one.clone();
        many[many.length - 1] = "4";

        CommandRun run = CommandRun.of(one);

        assertThat(run.code()).isZero();
        List<String> rows = new ArrayList<>();
        for (JsonNode row : new ObjectMapper().readTree(run.out())) {
            rows.add(row.get("policy").asText() + " " + row.get("seed").asText());
        }
        assertThat(rows)
                .containsExactly(
                        "fifo 1",
                        "fifo 2",
                        "las:queues=3,threshold=100 1",
                        "las:queues=3,threshold=100 2",
                        "srtf 1",
                        "srtf 2");
        assertThat(CommandRun.of(many).withoutWallFigures()).isEqualTo(run.withoutWallFigures());
    }

    @Test
    void oneRunOfACompareEqualsTheSameSimulate() throws IOException {
        JsonNode alone = new ObjectMapper()
                .readTree(CommandRun.of("simulate", "--workload", SMALL, "--policy", "las", "--seed", "2", "-o", "json")
                        .withoutWallFigures()
                        .replace(": _", ": 0"));
        JsonNode among = new ObjectMapper()
                .readTree(CommandRun.of(
                                "compare",
                                "--workload",
                                SMALL,
                                "--policies",
                                "fifo,las",
                                "--seeds",
                                "1,2",
                                "-o",
                                "json")
                        .withoutWallFigures()
                        .replace(": _", ": 0"));

        assertThat(among.get(3).get("baseline").asText()).isEqualTo("fifo");
        ObjectNode row = among.get(3).deepCopy();
        assertThat(row.without(List.of("baseline", "meanJctVsBaseline", "varied"))
                        .equals(alone))
                .isTrue();
    }

    @Test
    void withoutArgumentsEveryPolicyIsInTheTable() {
        CommandRun run = CommandRun.of("compare", "--workload", SMALL);

        assertThat(run.code()).isZero();
        for (String name : PolicyCatalogue.names()) {
            assertThat(run.lines()).anyMatch(line -> line.startsWith(name));
        }
        assertThat(run.out())
                .contains("srtf*", "job completion time", "No schedule can", "seed 1", "fermata policies")
                .doesNotContain("\u001b[");
    }

    @Test
    void severalSeedsGiveConfidenceIntervals() {
        assertThat(CommandRun.of("compare", "--workload", SMALL, "--policies", "fifo,srtf", "--seeds", "1..3")
                        .out())
                .contains("±", "3 seeds");
    }

    @Test
    void variesParametersOfTheGenerator() throws IOException {
        CommandRun run = CommandRun.of(
                "compare",
                "--cluster",
                "1x8",
                "--workload",
                SMALL,
                "--policies",
                "fifo",
                "--vary",
                "load=0.5,2",
                "-o",
                "json");

        JsonNode rows = new ObjectMapper().readTree(run.out());
        assertThat(rows).hasSize(2);
        assertThat(rows.get(0).get("workload").asText()).isEqualTo("synthetic:jobs=80,load=0.5");
        assertThat(rows.get(1).get("variation").asText()).isEqualTo("load=2");
        assertThat(rows.get(1).get("meanWaitSeconds").asDouble())
                .isGreaterThan(rows.get(0).get("meanWaitSeconds").asDouble());
    }

    @Test
    void variesParametersOfPolicies() throws IOException {
        CommandRun run = CommandRun.of(
                "compare",
                "--workload",
                SMALL,
                "--policies",
                "las:queues=3",
                "--vary",
                "policy.threshold=10,1h",
                "-o",
                "json");

        JsonNode rows = new ObjectMapper().readTree(run.out());
        assertThat(rows.get(0).get("policy").asText()).isEqualTo("las:queues=3,threshold=10");
        assertThat(rows.get(1).get("policy").asText()).isEqualTo("las:queues=3,threshold=1h");
    }

    @Test
    void severalKeysVaryInEveryCombinationTheFirstSlowest() throws IOException {
        String[] command = {
            "compare",
            "--workload",
            SMALL,
            "--policies",
            "fifo,las",
            "--vary",
            "load=0.5,2",
            "--vary",
            "costs=none,profiles"
        };
        String[] json = Arrays.copyOf(command, command.length + 2);
        json[command.length] = "-o";
        json[command.length + 1] = "json";

        List<String> rows = new ArrayList<>();
        for (JsonNode row : new ObjectMapper().readTree(CommandRun.of(json).out())) {
            rows.add(row.get("variation").asText() + " " + row.get("policy").asText() + " "
                    + row.get("varied").get("costs").asText());
        }

        assertThat(rows)
                .containsExactly(
                        "load=0.5, costs=none fifo none",
                        "load=0.5, costs=none las none",
                        "load=0.5, costs=profiles fifo profiles",
                        "load=0.5, costs=profiles las profiles",
                        "load=2, costs=none fifo none",
                        "load=2, costs=none las none",
                        "load=2, costs=profiles fifo profiles",
                        "load=2, costs=profiles las profiles");
        CommandRun table = CommandRun.of(command);
        assertThat(table.lines()).anyMatch(line -> line.matches("load +costs +policy .*"));
        assertThat(table.lines().stream().filter(line -> line.matches("[0-9.]+ +(none|profiles) +\\(lower bound\\).*")))
                .as("the bound of every setting")
                .hasSize(4);
    }

    @Test
    void everyPolicyIsComparedWithTheBaselineSeedBySeed() throws IOException {
        CommandRun run = CommandRun.of(
                "compare",
                "--workload",
                SMALL,
                "--policies",
                "fifo,las:queues=3,srtf",
                "--baseline",
                "las",
                "--seeds",
                "1..3",
                "-o",
                "json");

        JsonNode rows = new ObjectMapper().readTree(run.out());
        for (int policy = 0; policy < 3; policy++) {
            for (int seed = 0; seed < 3; seed++) {
                JsonNode row = rows.get(policy * 3 + seed);
                double reference = rows.get(3 + seed).get("meanJctSeconds").asDouble();
                assertThat(row.get("baseline").asText()).isEqualTo("las:queues=3");
                assertThat(row.get("meanJctVsBaseline").asDouble())
                        .isCloseTo(row.get("meanJctSeconds").asDouble() / reference - 1, within(2e-6));
            }
        }
    }

    @Test
    void theSummaryHasALinePerPolicyAndSetting(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("summary.csv");

        CommandRun run = CommandRun.of(
                "compare",
                "--workload",
                SMALL,
                "--policies",
                "fifo,srtf",
                "--seeds",
                "1..4",
                "--vary",
                "load=1,2",
                "--summary-out",
                file.toString());

        assertThat(run.code()).isZero();
        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(5);
        List<String> header = List.of(lines.get(0).split(",", -1));
        assertThat(header)
                .contains("meanJctSeconds", "meanJctSecondsCi95", "lowerBoundMeanJctSeconds", "optimalityGap")
                .contains("baseline", "meanJctVsBaseline", "meanJctVsBaselineCi95", "clear", "seedsBetter")
                .endsWith("varied.load");
        List<String> last = List.of(lines.get(4).replaceAll("\"[^\"]*\"", "_").split(",", -1));
        assertThat(last.get(header.indexOf("policy"))).isEqualTo("srtf");
        assertThat(last.get(header.indexOf("seeds"))).isEqualTo("4");
        assertThat(last.get(header.indexOf("varied.load"))).isEqualTo("2");
        double change = Double.parseDouble(last.get(header.indexOf("meanJctVsBaseline")));
        double interval = Double.parseDouble(last.get(header.indexOf("meanJctVsBaselineCi95")));
        assertThat(last.get(header.indexOf("clear"))).isEqualTo(String.valueOf(Math.abs(change) > interval));
    }

    @Test
    void aClearDifferenceIsMarkedAndCounted() {
        CommandRun run = CommandRun.of(
                "compare", "--cluster", "1x8", "--workload", SMALL, "--policies", "srtf,fifo", "--seeds", "1..6");

        assertThat(run.lines())
                .anyMatch(line -> line.startsWith("fifo") && line.contains("↑") && line.contains("0 of 6"));
        assertThat(run.out()).contains("beyond chance", "above", "(lower bound)");
    }

    @Test
    void theBoundFitsOnANarrowScreen() {
        CommandRun run = CommandRun.in(
                new Invocation(Map.of(), Path.of("no-such-folder"), new Screen(true, false, 60), new Interruption()),
                "compare",
                "--workload",
                SMALL,
                "--policies",
                "fifo,srtf");

        assertThat(run.out()).contains("above", "bound", "(lower bound)");
    }

    @Test
    void tableNotesThatSeedsChangeNothing(@TempDir Path folder) throws IOException {
        Path trace = folder.resolve("trace.csv");
        Files.writeString(trace, "id,submit_s,gpus,duration_s\n1,0,4,100\n2,10,4,50\n3,20,8,30\n");
        String[] command = {
            "compare", "--cluster", "1x8", "--workload", trace.toString(), "--policies", "fifo,srtf", "--models", "none"
        };
        String[] seeds = Arrays.copyOf(command, command.length + 2);
        seeds[command.length] = "--seeds";
        seeds[command.length + 1] = "1..3";

        assertThat(CommandRun.of(seeds).out()).contains("seeds change nothing");
        assertThat(CommandRun.of(command).out()).doesNotContain("seeds change nothing");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--vary load=1,2 --vary load=3|--vary (load) is varied twice",
                "--policies fifo,fifo|policy 'fifo' is in the list twice",
                "--policies las:threshold=1,las --vary policy.threshold=5|policy 'las:threshold=5' is in the list twice",
                "--policies fifo,srtf --baseline srsf|--baseline (srsf) is none of the policies compared. Did you mean 'srtf'?",
                "--resume|--resume: nothing is saved"
            })
    void contradictoryFlagsAreRefused(String flags, String expected) {
        List<String> command = new ArrayList<>(List.of("compare", "--workload", SMALL));
        command.addAll(List.of(flags.split(" ")));

        CommandRun run = CommandRun.of(command.toArray(String[]::new));

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains(expected);
    }

    @Test
    void csvHasALinePerRun() {
        CommandRun run = CommandRun.of("compare", "--workload", SMALL, "--policies", "fifo,sjf", "-o", "csv");

        assertThat(run.lines()).hasSize(3);
        assertThat(run.lines().get(0))
                .startsWith("policy,cluster,workload,seed,jobs")
                .contains("classes.trial.jobs");
    }

    @Test
    void interruptionPrintsFinishedRunsAndTheirNumber() {
        Interruption interruption = new Interruption();
        interruption.request();

        CommandRun run = CommandRun.in(
                new Invocation(Map.of(), Path.of("no-such-folder"), Screen.PIPE, interruption),
                "compare",
                "--workload",
                SMALL,
                "-o",
                "json");

        assertThat(run.code()).isEqualTo(130);
        assertThat(run.out().strip()).isEqualTo("[ ]");
        assertThat(run.err()).contains("0 of " + PolicyCatalogue.names().size() + " runs");
    }

    @Test
    void trialsAreMentionedOnlyWhenTheWorkloadHasSome(@TempDir Path folder) throws IOException {
        Path trace = Files.writeString(folder.resolve("t.csv"), "id,submit_s,gpus,duration_s\n1,0,1,60\n2,5,1,60\n");

        String without = CommandRun.of(
                        "compare", "--policies", "fifo,las", "--workload", trace.toString(), "-o", "wide")
                .out();
        String with = CommandRun.of("compare", "--policies", "fifo,las", "--workload", SMALL, "-o", "wide")
                .out();

        assertThat(without).doesNotContainIgnoringCase("trial").contains("--vary speedup=");
        assertThat(with).contains("trial p95", "trial mean", "Trial jobs").contains("--vary load=");
    }
}
