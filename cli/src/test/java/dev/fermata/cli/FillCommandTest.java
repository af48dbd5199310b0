package dev.fermata.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FillCommandTest {
    @Test
    void everyPlacementAndSeedIsALineInOrder() throws IOException {
        CommandRun run = CommandRun.of(
                "fill", "--cluster", "4x8", "--workload", "synthetic:jobs=50", "--seeds", "1..2", "-o", "json");

        assertThat(run.code()).isZero();
        List<String> rows = new ArrayList<>();
        for (JsonNode row : new ObjectMapper().readTree(run.out())) {
            rows.add(row.get("place").asText() + " " + row.get("seed").asText());
            assertThat(row.get("gpus").asInt()).isEqualTo(32);
            // The last job asked for passes the mark, by no more than it asks for.
            assertThat(row.get("gpusRequested").asDouble()).isBetween(1.3, 2.3);
            assertThat(row.get("gpuAllocation").asDouble()).isBetween(0.5, 1.0);
            assertThat(row.get("fragmentation").asDouble()).isBetween(0.0, 0.5);
            assertThat(row.get("rejected").asInt()).isLessThan(row.get("jobs").asInt());
        }
        assertThat(rows).containsExactly("random 1", "random 2", "best-fit 1", "best-fit 2", "fgd 1", "fgd 2");
    }

    @Test
    void theTableHasALineForEachPlacement() {
        CommandRun run = CommandRun.of(
                "fill", "--cluster", "4x8", "--workload", "synthetic:jobs=50", "--places", "spread,fgd", "--quiet");

        assertThat(run.code()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.lines().get(0)).startsWith("place").contains("allocated");
        assertThat(run.out()).contains("spread", "fgd", "%", "32 GPUs of 4x8; seeds 1");
    }

    @ParameterizedTest
    @CsvSource({
        "--places, fdg, place (fdg)",
        "--places, 'fgd,', place ()",
        "--until, 0, --until",
        "--share, 0, --share",
        "--seeds, 2..1, --seeds",
        "--cluster, none.csv, cannot be read"
    })
    void badFlagIsReportedInOneLine(String flag, String value, String said) {
        CommandRun run = CommandRun.of("fill", flag, value);

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains(said);
        assertThat(run.out()).isEmpty();
    }
}
