package dev.fermata.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.cli.CommandRun;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The commands that this plugin adds, found on the class path. */
class BenchCommandsTest {
    @Test
    void benchSimMeasuresEveryPolicyGiven() throws IOException {
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
    void benchRestartMeasuresADaemonWithLiveAndEndedJobs() throws IOException {
        CommandRun run = CommandRun.of("bench", "restart", "--live", "60", "--ended", "40", "-o", "json");

        assertThat(run.code()).as(run.err()).isZero();
        JsonNode json = new ObjectMapper().readTree(run.out());
        assertThat(json.get(0).get("what").asText()).isEqualTo("restart to first decision");
        assertThat(json.get(0).get("value").asDouble()).isPositive();
    }

    @Test
    void benchSoakMeasuresADaemonOnAHistoryOfPreemptions() throws IOException {
        CommandRun run = CommandRun.of("bench", "soak", "--jobs", "80", "--days", "3", "-o", "json");

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.err()).contains("made: 85 jobs, 40 preemptions");
        JsonNode json = new ObjectMapper().readTree(run.out());
        assertThat(json.findValuesAsText("what")).contains("preemptions in the preemption log", "the same, slowest");
        assertThat(json.get(3).get("value").asInt()).isEqualTo(40);
    }

    @Test
    void benchClientsMeasuresManyUsersAtOnce() throws IOException {
        CommandRun run = CommandRun.of("bench", "clients", "--clients", "6", "--seconds", "2", "-o", "json");

        assertThat(run.code()).as(run.err()).isZero();
        JsonNode json = new ObjectMapper().readTree(run.out());
        assertThat(json.get(0).get("what").asText()).isEqualTo("errors of 6 users");
        assertThat(json.get(0).get("value").asInt()).isZero();
        assertThat(json.get(json.size() - 1).get("value").asDouble())
                .as("events followed")
                .isEqualTo(100);
    }

    @Test
    void benchStoreReportsAMissingServer() {
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
    void benchDecideSeparatesStartsFromPreemptions() throws IOException {
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

    @Test
    void benchReadMeasuresReading() throws IOException {
        CommandRun run = CommandRun.of("bench", "read", "--records", "500", "-o", "json", "--quiet");

        assertThat(run.code()).isZero();
        for (JsonNode row : new ObjectMapper().readTree(run.out())) {
            assertThat(row.get("recordsPerSecond").asDouble()).isPositive();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bench sim --jobs 0 | 0 | from 1",
                "bench fidelity --workload trial | trial | trials",
                "bench fidelity --jobs 1 | 1 | from 10 to 10000",
                "bench fidelity --policy fermat | fermat | fermata",
                "bench decide --policies no | 'no' | Known",
                "bench place --sizes 4 | '4' | JOBSxWORKERS",
                "bench place --sizes 9x8 | 9 | from 1 to 8",
                "bench read --records 0 | 0 | from 1"
            })
    void wrongInputIsNamedWithTheRule(String line, String value, String rule) {
        CommandRun run = CommandRun.of(line.split(" "));

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains(value, rule).doesNotContain("\tat ", "Exception");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bench --help",
                "bench sim --help",
                "bench decide --help",
                "bench place --help",
                "bench read --help",
                "bench store --help",
                "bench restart --help",
                "bench soak --help",
                "bench clients --help",
                "bench fidelity --help"
            })
    void helpEndsWell(String line) {
        CommandRun run = CommandRun.of(line.split(" "));

        assertThat(run.code()).isZero();
        assertThat(run.out()).startsWith("Usage: fermata ");
        assertThat(run.err()).isEmpty();
    }
}
