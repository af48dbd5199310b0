package dev.fermata.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.report.text.Screen;
import dev.fermata.sim.trace.read.TraceFormats;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TraceCommandsTest {
    private static final String HELIOS = """
        job_id,user,vc,jobname,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
        11,ann,vcA,a,8,32,1,COMPLETED,2021-01-04 00:00:00,2021-01-04 00:00:05,2021-01-04 02:00:05,7200,5
        12,bob,vcA,b,0,4,1,COMPLETED,2021-01-04 01:00:00,2021-01-04 01:00:05,2021-01-04 02:00:05,3600,5
        13,ann,vcB,c,1,4,1,FAILED,2021-01-05 13:00:00,2021-01-05 13:00:05,2021-01-05 13:00:35,30,5
        14,cid,vcB,d,2,4,1,CANCELLED,2021-01-06 00:00:00,None,2021-01-06 00:00:35,0,0
        15,bob,vcB,e,2,8,1,COMPLETED,2021-01-06 00:00:00,2021-01-06 00:00:35,2021-01-06 01:00:35,3600,35
        """;

    @TempDir
    private Path folder;

    private Path trace = Path.of("");

    @BeforeEach
    void writeTheTrace() throws IOException {
        trace = folder.resolve("cluster_log.csv");
        Files.writeString(trace, HELIOS);
    }

    private String out(String name) {
        return folder.resolve(name).toString();
    }

    @Test
    void inspectShowsWhatIsInATrace() {
        CommandRun run = CommandRun.of("trace", "inspect", trace.toString(), "--cluster", "1x4");

        assertThat(run.code()).isZero();
        assertThat(run.out())
                .contains(
                        "cluster_log.csv: SenseTime Helios 2020 (helios)",
                        "5 jobs read, 3 kept; dropped: 1 without a GPU, 1 that never ran",
                        "2021-01-04 00:00:00 to 2021-01-06 00:00:00, 2 days",
                        "18 GPU-hours",
                        "0.09 of what 1x4 (4 GPUs)",
                        "1 job larger than it",
                        "median 1h00m",
                        "2 users",
                        "by weekday");
    }

    @Test
    void inspectInJsonHasTheSameCounts() throws IOException {
        JsonNode json = new ObjectMapper()
                .readTree(CommandRun.of("trace", "inspect", trace.toString(), "--cluster", "2x8", "-o", "json")
                        .out());

        assertThat(json.get("format").asText()).isEqualTo("helios");
        assertThat(json.get("jobsRead").asInt()).isEqualTo(5);
        assertThat(json.get("jobs").asInt()).isEqualTo(3);
        assertThat(json.get("dropped").get("noGpu").asInt()).isEqualTo(1);
        assertThat(json.get("dropped").get("neverRan").asInt()).isEqualTo(1);
        assertThat(json.get("firstSubmission").asText()).isEqualTo("2021-01-04T00:00:00");
        assertThat(json.get("spanSeconds").asLong()).isEqualTo(172_800);
        assertThat(json.get("gpuSeconds").asLong()).isEqualTo(8 * 7200 + 30 + 2 * 3600);
        assertThat(json.get("sizes")).hasSize(3);
        assertThat(json.get("sizes").get(2).get("gpus").asInt()).isEqualTo(8);
        assertThat(json.get("durationSeconds").get("median").asInt()).isEqualTo(3600);
        assertThat(sum(json.get("durationSeconds").get("histogram"), "jobs")).isEqualTo(3);
        assertThat(json.get("users").get(0).get("name").asText()).isEqualTo("ann");
        assertThat(json.get("jobsByHour").get(13).asInt()).isEqualTo(1);
        assertThat(json.get("jobsByWeekday").get(0).asInt()).as("a Monday").isEqualTo(1);
        assertThat(json.get("cluster").get("load").asDouble())
                .isEqualTo(Math.round((8 * 7200 + 30 + 2 * 3600) / (16.0 * 172_800) * 10_000) / 10_000.0);
    }

    private static long sum(JsonNode rows, String key) {
        long sum = 0;
        for (JsonNode row : rows) {
            sum += row.get(key).asLong();
        }
        return sum;
    }

    @Test
    void inspectFitsTheTerminal() {
        Invocation narrow = new Invocation(Map.of(), folder, new Screen(true, false, 60), new Interruption());

        CommandRun run = CommandRun.in(narrow, "trace", "inspect", trace.toString(), "--cluster", "1x4");

        assertThat(run.lines()).noneMatch(line -> line.length() > 60);
        assertThat(run.out()).contains("█").doesNotContain("\u001b");
    }

    @Test
    void aSelectionIsInspectedAlone() throws IOException {
        JsonNode json = new ObjectMapper()
                .readTree(CommandRun.of("trace", "inspect", trace.toString(), "--select", "vc=vcB", "-o", "json")
                        .out());

        assertThat(json.get("jobs").asInt()).isEqualTo(2);
        assertThat(json.get("jobsKept").asInt()).isEqualTo(3);
    }

    @ParameterizedTest
    @CsvSource({"''", "'from=1d'", "'first=2,gpus<=4'"})
    void aConvertedTraceRunsLikeTheOriginal(String select) {
        String converted = out("jobs.csv");
        CommandRun convert = CommandRun.of("trace", "convert", trace.toString(), "--out", converted);
        assertThat(convert.code()).isZero();
        assertThat(convert.err()).contains("3 jobs written");

        assertThat(figures(converted, select)).isEqualTo(figures(trace.toString(), select));
    }

    private static String figures(String workload, String select) {
        CommandRun run = CommandRun.of(
                "simulate",
                "--workload",
                workload,
                "--select",
                select,
                "--speedup",
                "3",
                "--policy",
                "srtf",
                "-o",
                "json");
        assertThat(run.code()).isZero();
        return run.withoutWallFigures().replaceAll("\"workload\": \"[^\"]*\"", "");
    }

    @Test
    void convertZipsByNameAndKeepsSelections() throws IOException {
        CommandRun.of("trace", "convert", trace.toString(), "--select", "vc=vcB", "-o", out("part.csv.gz"), "--quiet");

        byte[] zipped = Files.readAllBytes(folder.resolve("part.csv.gz"));
        String text = new String(
                new GZIPInputStream(new ByteArrayInputStream(zipped)).readAllBytes(), StandardCharsets.UTF_8);
        assertThat(text.lines())
                .containsExactly(
                        "id,submit_s,gpus,duration_s,name,user,queue,cpus",
                        "13,133200,1,30,c,ann,vcB,4",
                        "15,172800,2,3600,e,bob,vcB,8");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | all at once | 2 GPU-hours",
                "5400 | from 0.0s to 1h30m after time zero, 1h30m | 2 GPU-hours; as much as 1.33 GPUs do in that time"
            })
    void aShortTraceHasNoDays(int last, String submitted, String work) throws IOException {
        Path brief = folder.resolve("brief.csv");
        Files.writeString(brief, "id,submit_s,gpus,duration_s\na,0,1,3600\nb," + last + ",1,3600\n");

        CommandRun run = CommandRun.of("trace", "inspect", brief.toString(), "--cluster", "1x1");

        assertThat(run.lines()).contains("submitted    " + submitted, "work         " + work);
        assertThat(run.out()).doesNotContain("1 GPUs");
    }

    @Test
    void aDashIsStandardOutput() throws IOException {
        CommandRun toFile = CommandRun.of("trace", "convert", trace.toString(), "--out", out("jobs.csv"));
        CommandRun run = CommandRun.of("trace", "convert", trace.toString(), "--out", "-");

        assertThat(toFile.code()).isZero();
        assertThat(run.code()).isZero();
        assertThat(run.out()).isEqualTo(Files.readString(folder.resolve("jobs.csv")));
        assertThat(run.err()).contains("3 jobs written to standard output");
        assertThat(Path.of("-")).doesNotExist();
    }

    @Test
    void theTraceIsNeverOverwritten() throws IOException {
        assertThat(CommandRun.of("trace", "convert", trace.toString(), "--out", trace.toString())
                        .code())
                .isEqualTo(2);
        assertThat(Files.readString(trace)).isEqualTo(HELIOS);
    }

    @Test
    void aSampleIsSeededKeepsTheOrderAndItsSize() throws IOException {
        StringBuilder jobs = new StringBuilder("id,submit_s,gpus,duration_s\n");
        for (int i = 0; i < 1000; i++) {
            jobs.append(i).append(',').append(i / 3).append(",1,5\n");
        }
        Path all = Files.writeString(folder.resolve("all.csv"), jobs);

        for (String seed : List.of("1", "1", "2")) {
            CommandRun run = CommandRun.of(
                    "trace",
                    "sample",
                    all.toString(),
                    "--share",
                    "0.2",
                    "--seed",
                    seed,
                    "--out",
                    out("s" + seed + ".csv"));
            assertThat(run.code()).isZero();
            assertThat(run.err()).contains("seed " + seed, "--speedup 5.00");
            List<String> lines = Files.readAllLines(folder.resolve("s" + seed + ".csv"));
            assertThat(lines).hasSize(201);
            assertThat(lines.stream().skip(1).map(line -> Integer.valueOf(line.substring(0, line.indexOf(',')))))
                    .isSorted();
        }
        assertThat(Files.readString(folder.resolve("s2.csv"))).isNotEqualTo(Files.readString(folder.resolve("s1.csv")));
        CommandRun.of("trace", "sample", all.toString(), "--jobs", "1000", "--out", out("whole.csv"));
        assertThat(Files.readAllLines(folder.resolve("whole.csv"))).hasSize(1001);
    }

    @Test
    void lenientSkipsUnreadableLinesAndReportsThem() throws IOException {
        Files.writeString(trace, HELIOS + "16,bob,vcB,f,many,8,1,COMPLETED,2021-01-06,x,y,1,1\n");

        CommandRun strict = CommandRun.of("simulate", "--workload", trace.toString(), "-o", "json");
        assertThat(strict.code()).isEqualTo(2);
        assertThat(strict.err()).contains("cluster_log.csv:7: gpu_num (many) must be a number");
        for (String command : List.of("simulate --workload", "compare --policies fifo --workload", "trace inspect")) {
            CommandRun lenient = CommandRun.of((command + " " + trace + " --lenient --quiet").split(" "));
            assertThat(lenient.code()).isZero();
            assertThat(lenient.err())
                    .contains("warning: 1 malformed record was passed over; the first: ", "cluster_log.csv:7: gpu_num");
        }
    }

    @Test
    void aRunReportsReadAndDroppedRecords() {
        CommandRun run = CommandRun.of("simulate", "--workload", trace.toString());

        assertThat(run.err()).contains("helios: 5 jobs read, 3 kept; dropped: 1 without a GPU, 1 that never ran");
    }

    @Test
    void completionKnowsEveryFormat() {
        String script = CommandRun.of("completion", "bash").out();

        assertThat(script).contains("inspect", "convert", "sample", "--lenient");
        assertThat(script).contains('"' + String.join(" ", TraceFormats.names()) + '"');
    }
}
