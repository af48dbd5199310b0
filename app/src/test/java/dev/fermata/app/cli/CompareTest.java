package dev.fermata.app.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.app.exit.Interruption;
import dev.fermata.app.output.Screen;
import dev.fermata.core.policy.Catalogue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CompareTest {
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
        assertThat(row.without(List.of("baseline", "meanJctVsBaseline")).equals(alone))
                .isTrue();
    }

    @Test
    void withoutArgumentsEveryPolicyIsInTheTable() {
        CommandRun run = CommandRun.of("compare", "--workload", SMALL);

        assertThat(run.code()).isZero();
        for (String name : Catalogue.names()) {
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
    void variesKnobsOfTheGenerator() throws IOException {
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
    void csvHasALinePerRun() {
        CommandRun run = CommandRun.of("compare", "--workload", SMALL, "--policies", "fifo,sjf", "-o", "csv");

        assertThat(run.lines()).hasSize(3);
        assertThat(run.lines().get(0))
                .startsWith("policy,cluster,workload,seed,jobs")
                .contains("classes.trial.jobs");
    }

    @Test
    void interruptionPrintsWhatIsDoneAndSaysHowMuch() {
        Interruption interruption = new Interruption();
        interruption.ask();

        CommandRun run = CommandRun.in(
                new Surroundings(Map.of(), Path.of("no-such-folder"), Screen.PIPE, interruption),
                "compare",
                "--workload",
                SMALL,
                "-o",
                "json");

        assertThat(run.code()).isEqualTo(130);
        assertThat(run.out().strip()).isEqualTo("[ ]");
        assertThat(run.err()).contains("0 of " + Catalogue.names().size() + " runs");
    }
}
