package dev.fermata.research.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.cli.CommandRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JudgeCommandTest {
    @TempDir
    private Path folder;

    private CommandRun judge(String cells, String... more) throws IOException {
        Path file = Files.writeString(folder.resolve("cells.csv"), cells);
        return CommandRun.of(Stream.concat(
                        Stream.of("judge", "--quiet", "--cells", file.toString(), "--policies", "srtf"),
                        Stream.of(more))
                .toArray(String[]::new));
    }

    private static final String SMALL = """
            cell,cluster,workload
            128 GPUs,1x8:V100,synthetic:jobs=60
            """;

    @Test
    void everyCellAndEstimatorIsARecordWithItsMissedBars() throws IOException {
        CommandRun run = judge(SMALL, "--estimators", "oracle;progress", "--seeds", "1..2", "-o", "json");

        assertThat(run.code()).isZero();
        JsonNode records = new ObjectMapper().readTree(run.out());
        assertThat(records).hasSize(2);
        List<String> keys = new ArrayList<>();
        records.get(0).fieldNames().forEachRemaining(keys::add);
        assertThat(keys)
                .contains("cell", "estimator", "bestOther", "changeVsBest", "changeVsBestCi95", "missedBars")
                .contains("trialP95Slowdown", "longestVsSrsf", "preemptionsVsSrsf", "changeVsLas");
        JsonNode first = records.get(0);
        double change = first.get("meanJctSeconds").asDouble()
                        / first.get("bestOtherMeanJctSeconds").asDouble()
                - 1;
        boolean behind = first.get("changeVsBest").asDouble() > 0.01;
        assertThat(first.get("missedBars").toString().contains("\"mean\""))
                .as("%s, of means %s", first, change)
                .isEqualTo(behind);
    }

    @Test
    void everyCellIsJudgedUnderEachModelError() throws IOException {
        String mixed = "cell,cluster,workload\nmixed,1x4:V100+1x4:K80,synthetic:jobs=60\n";
        String[] flags = {"--estimators", "oracle", "--seeds", "1"};
        CommandRun plain = judge(
                mixed, Stream.concat(Stream.of(flags), Stream.of("-o", "json")).toArray(String[]::new));
        CommandRun both = judge(
                mixed,
                Stream.concat(Stream.of(flags), Stream.of("--model-error", "none;measured", "-o", "json"))
                        .toArray(String[]::new));

        JsonNode records = new ObjectMapper().readTree(both.out());
        assertThat(records).hasSize(2);
        assertThat(records.get(0))
                .isEqualTo(new ObjectMapper().readTree(plain.out()).get(0));
        assertThat(records.get(0).has("modelError")).isFalse();
        assertThat(records.get(1).get("modelError").asText()).isEqualTo("measured");
        assertThat(records.get(1).get("meanJctSeconds"))
                .isNotEqualTo(records.get(0).get("meanJctSeconds"));
        assertThat(judge(
                                mixed,
                                Stream.concat(Stream.of(flags), Stream.of("--model-error", "measured"))
                                        .toArray(String[]::new))
                        .out())
                .contains("mixed, model error measured");
        assertThat(judge(mixed, "--model-error", "wrong").err()).contains("--model-error (wrong) must be none");
    }

    @Test
    void theTableEndsWithTheBars() throws IOException {
        CommandRun run = judge(SMALL, "--estimators", "oracle;none", "--seeds", "1");

        assertThat(run.code()).isZero();
        assertThat(run.out())
                .contains("fermata vs best", "mean (+1.0 %): holds in", "trials (1.10)", "preemptions (1.20)")
                .contains("partial: no cell to judge it in", "bars are met.");
    }

    @Test
    void savedRunsGiveTheSameBytes() throws IOException {
        String[] flags = {
            "--estimators",
            "oracle",
            "--seeds",
            "1",
            "--save",
            folder.resolve("runs").toString()
        };
        CommandRun first = judge(SMALL, flags);

        assertThat(judge(SMALL, flags).out()).isEqualTo(first.out()).isNotEmpty();
        assertThat(folder.resolve("runs")).isNotEmptyFile();
    }

    @Test
    void aMissingTraceOfAUsersFileIsAnError() throws IOException {
        CommandRun run = judge("cell,cluster,workload\nmine,1x8,none.csv\n", "--seeds", "1");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("mine", "none.csv", "--data");
    }

    @Test
    void aCellWithoutAClusterIsNamedWithItsLine() throws IOException {
        CommandRun run = judge("cell,workload\nmine,synthetic\n", "--seeds", "1");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("line 2", "'cluster' is missing");
    }
}
