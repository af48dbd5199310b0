package dev.fermata.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.cli.option.ExperimentOptions;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.Interruption;
import dev.fermata.report.text.Screen;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SimulateCommandTest {
    private static final String SMALL = "synthetic:jobs=120,load=1.2";

    @TempDir
    private Path folder;

    @Test
    void jsonHasTheKeysThatScriptsRelyOnInOrder() throws IOException {
        CommandRun run = CommandRun.of("simulate", "--workload", SMALL, "--cluster", "4x8:V100", "-o", "json");

        assertThat(run.code()).isZero();
        JsonNode json = new ObjectMapper().readTree(run.out());
        assertThat(keys(json))
                .containsExactly(
                        "policy",
                        "cluster",
                        "workload",
                        "seed",
                        "jobs",
                        "finished",
                        "failed",
                        "meanJctSeconds",
                        "medianJctSeconds",
                        "p95JctSeconds",
                        "p99JctSeconds",
                        "maxJctSeconds",
                        "meanWaitSeconds",
                        "medianWaitSeconds",
                        "p95WaitSeconds",
                        "meanSlowdown",
                        "p95Slowdown",
                        "makespanSeconds",
                        "gpuUtilization",
                        "fragmentation",
                        "communicationShare",
                        "jainFairness",
                        "preemptions",
                        "preemptedJobs",
                        "overheadGpuSeconds",
                        "lostGpuSeconds",
                        "oomFailures",
                        "lowerBoundMeanJctSeconds",
                        "classes",
                        "events",
                        "decisions",
                        "wallSeconds",
                        "eventsPerSecond",
                        "peakHeapMib",
                        "estimator",
                        "costs",
                        "faults",
                        "variation",
                        "usefulGpuSeconds",
                        "heldGpuSeconds",
                        "optimalityGap",
                        "rejectedActions",
                        "estimateError",
                        "complete",
                        "models");
        assertThat(keys(json.get("classes"))).containsExactly("trial", "batch");
        assertThat(keys(json.get("classes").get("trial")))
                .containsExactly(
                        "jobs",
                        "finished",
                        "meanJctSeconds",
                        "medianJctSeconds",
                        "p95JctSeconds",
                        "meanWaitSeconds",
                        "p95WaitSeconds",
                        "meanSlowdown",
                        "p95Slowdown");
        assertThat(json.get("policy").asText()).isEqualTo(ExperimentOptions.DEFAULT_POLICY);
        assertThat(json.get("finished").asInt()).isEqualTo(120);
        assertThat(json.get("meanJctSeconds").asDouble())
                .isGreaterThanOrEqualTo(json.get("lowerBoundMeanJctSeconds").asDouble());
    }

    @ParameterizedTest
    @ValueSource(strings = {"table", "wide", "json"})
    void sameCommandPrintsTheSameBytes(String format) {
        String[] args = {"simulate", "--workload", SMALL, "--policy", "las", "--faults", "node=2d", "-o", format};

        CommandRun first = CommandRun.of(args);

        assertThat(first.code()).isZero();
        assertThat(CommandRun.of(args).withoutWallFigures()).isEqualTo(first.withoutWallFigures());
    }

    @Test
    void aModelErrorIsNamedAndOneOfSizeZeroChangesNothing() throws IOException {
        String[] args = {"simulate", "--workload", SMALL, "--cluster", "2x4:K80+1x8:V100"};
        String plain = withError(args, "none").withoutWallFigures();

        assertThat(withError(args, "types=0,network=0").withoutWallFigures()).isEqualTo(plain);
        assertThat(withError(args, "measured").out()).contains(", model error measured, seed 1");
        JsonNode json = new ObjectMapper()
                .readTree(CommandRun.of(
                                Stream.concat(Stream.of(args), Stream.of("--model-error", "types=0.3", "-o", "json"))
                                        .toArray(String[]::new))
                        .out());
        assertThat(json.get("modelError").asText()).isEqualTo("types=0.3");
        assertThat(json.get("meanJctSeconds").asDouble())
                .isGreaterThanOrEqualTo(json.get("lowerBoundMeanJctSeconds").asDouble());
    }

    private static CommandRun withError(String[] args, String error) {
        return CommandRun.of(Stream.concat(Stream.of(args), Stream.of("--model-error", error))
                .toArray(String[]::new));
    }

    @Test
    void seedChangesTheWorkload() {
        assertThat(CommandRun.of("simulate", "--workload", SMALL, "--seed", "2").out())
                .isNotEqualTo(CommandRun.of("simulate", "--workload", SMALL).out());
    }

    @Test
    void everyLineOfJobsOutAddsUp() throws IOException {
        Path file = folder.resolve("jobs.csv");

        CommandRun run =
                CommandRun.of("simulate", "--workload", SMALL, "--cluster", "2x8:V100", "--jobs-out", file.toString());

        assertThat(run.code()).isZero();
        List<String> lines = Files.readAllLines(file);
        assertThat(lines.get(0))
                .isEqualTo("id,submit_s,first_start_s,finish_s,jct_s,wait_s,run_s,overhead_s,preemptions,attempts,gpus,"
                        + "class,state,gpu_type,tier");
        assertThat(lines).hasSize(121);
        BigDecimal before = BigDecimal.ZERO;
        for (String line : lines.subList(1, lines.size())) {
            Map<String, String> job = fields(lines.get(0), line);
            assertThat(number(job, "jct_s"))
                    .isEqualTo(number(job, "wait_s").add(number(job, "run_s")).add(number(job, "overhead_s")))
                    .isEqualTo(number(job, "finish_s").subtract(number(job, "submit_s")));
            assertThat(number(job, "submit_s")).isGreaterThanOrEqualTo(before);
            before = number(job, "submit_s");
        }
        assertThat(names(folder)).containsExactly("jobs.csv");
    }

    @Test
    void eventsAreOneJsonObjectPerLine() throws IOException {
        Path file = folder.resolve("events.jsonl");

        CommandRun.of("simulate", "--workload", "synthetic:jobs=20", "--events-out", file.toString());

        List<String> lines = Files.readAllLines(file);
        double before = 0;
        int ended = 0;
        for (String line : lines) {
            JsonNode event = new ObjectMapper().readTree(line);
            assertThat(event.get("time").asDouble()).isGreaterThanOrEqualTo(before);
            before = event.get("time").asDouble();
            ended += event.get("type").asText().equals("attemptEnded") ? 1 : 0;
        }
        assertThat(ended).isEqualTo(20);
    }

    @Test
    void jobTooLargeAmongOthersIsAWarning() throws IOException {
        Path trace = trace("wide,0,64,10", "narrow,5,2,10");

        CommandRun run = CommandRun.of("simulate", "--cluster", "2x4", "--workload", trace.toString(), "-o", "json");

        assertThat(run.code()).isZero();
        assertThat(run.err()).contains("warning", "1 job", "wide", "needs 64 GPUs", "at most 8");
        assertThat(new ObjectMapper().readTree(run.out()).get("failed").asInt()).isEqualTo(1);
    }

    @Test
    void readsGzippedTraces() throws IOException {
        Path plain = trace("a,0,1,10");
        Path zipped = folder.resolve("trace.csv.gz");
        try (var out = new GZIPOutputStream(Files.newOutputStream(zipped))) {
            Files.copy(plain, out);
        }

        assertThat(CommandRun.of("simulate", "--workload", zipped.toString()).code())
                .isZero();
    }

    @Test
    void selectAndSpeedupShapeTheWorkload() throws IOException {
        Path trace = trace("a,0,1,10", "b,100,8,10", "c,200,1,10", "d,300,1,10");
        Path jobs = folder.resolve("jobs.csv");

        CommandRun run = CommandRun.of(
                "simulate",
                "--workload",
                trace.toString(),
                "--select",
                "from=100s,gpus<=4,first=2",
                "--speedup",
                "2",
                "--jobs-out",
                jobs.toString());

        assertThat(run.code()).isZero();
        assertThat(Files.readAllLines(jobs)).hasSize(3);
        assertThat(Files.readAllLines(jobs).get(1)).startsWith("3,100.000,");
        assertThat(Files.readAllLines(jobs).get(2)).startsWith("4,150.000,");
    }

    @Test
    void costsOfAFileReplaceThoseOfTheModels() throws IOException {
        Path costs = folder.resolve("costs.yaml");
        Files.writeString(costs, "default: {buildSeconds: 100}\nresnet50: {buildSeconds: 50}\n");
        Path trace = folder.resolve("models.csv");
        Files.writeString(trace, "id,submit_s,gpus,duration_s,model\na,0,1,10,resnet50\nb,0,1,10,vgg16\n");
        Path jobs = folder.resolve("jobs.csv");

        CommandRun.of(
                "simulate", "--workload", trace.toString(), "--costs", costs.toString(), "--jobs-out", jobs.toString());

        assertThat(Files.readAllLines(jobs).get(1)).contains(",60.000,0.000,10.000,50.000,");
        assertThat(Files.readAllLines(jobs).get(2)).contains(",110.000,0.000,10.000,100.000,");
    }

    @Test
    void costsOfAFileMayBeGivenBySizeAndClass() throws IOException {
        Path costs = folder.resolve("costs.csv");
        Files.writeString(costs, """
                model,buildSeconds
                default,1
                batch,2
                gpus>=4,3
                gpus>=8,4
                ResNet_50,5
                """);
        Path trace = folder.resolve("models.csv");
        Files.writeString(trace, """
                id,submit_s,gpus,duration_s,model,class
                1,0,1,10,,trial
                2,0,1,10,,batch
                3,0,7,10,,trial
                4,0,8,10,our-own-net,batch
                5,0,8,10,resnet50,batch
                """);
        Path jobs = folder.resolve("jobs.csv");

        CommandRun.of(
                "simulate", "--workload", trace.toString(), "--costs", costs.toString(), "--jobs-out", jobs.toString());

        List<String> lines = Files.readAllLines(jobs);
        for (int job = 1; job <= 5; job++) {
            assertThat(lines.get(job)).startsWith(job + ",").contains(",10.000," + job + ".000,");
        }
    }

    @Test
    void everySeedAssignsUnnamedModelsAgain() throws IOException {
        StringBuilder text = new StringBuilder("id,submit_s,gpus,duration_s\n");
        for (int i = 1; i <= 60; i++) {
            text.append(i).append(",0,").append(i % 3 + 1).append(",600\n");
        }
        Path trace = folder.resolve("unnamed.csv");
        Files.writeString(trace, text);

        CommandRun first = simulated(trace, "1", "rule");
        CommandRun second = simulated(trace, "2", "rule");

        assertThat(first.out()).contains("models rule, costs profiles");
        assertThat(second.withoutWallFigures().replace("seed 2", "seed 1")).isNotEqualTo(first.withoutWallFigures());
        CommandRun bare = simulated(trace, "1", "none");
        assertThat(bare.out()).contains("models none").contains("0 % of the GPU-time held went into loading");
        assertThat(simulated(trace, "2", "none").withoutWallFigures().replace("seed 2", "seed 1"))
                .isEqualTo(bare.withoutWallFigures());
    }

    private static CommandRun simulated(Path trace, String seed, String models) {
        CommandRun run = CommandRun.of(
                "simulate",
                "--policy",
                "srtf",
                "--cluster",
                "2x8:V100",
                "--workload",
                trace.toString(),
                "--seed",
                seed,
                "--models",
                models);
        assertThat(run.code()).isZero();
        return run;
    }

    @Test
    void anInterruptedRunLeavesNoFileAndReportsIt() throws IOException {
        Interruption interruption = new Interruption();
        interruption.request();
        Path file = folder.resolve("jobs.csv");

        CommandRun run = CommandRun.in(
                new Invocation(Map.of(), folder, Screen.PIPE, interruption),
                "simulate",
                "--workload",
                SMALL,
                "--jobs-out",
                file.toString());

        assertThat(run.code()).isEqualTo(130);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("interrupted");
        assertThat(names(folder)).isEmpty();
    }

    @Test
    void anUnwritablePathIsReportedBeforeTheRun() {
        CommandRun run = CommandRun.of(
                "simulate",
                "--workload",
                SMALL,
                "--jobs-out",
                folder.resolve("no/jobs.csv").toString());

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).contains("cannot write", "does not exist").doesNotContain("\tat ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--jobs-out", "--events-out", "--report"})
    @EnabledOnOs(OS.LINUX)
    void anUnwritableFileDoesNotLoseTheResult(String flag) {
        CommandRun run = CommandRun.of("simulate", "--workload", "synthetic:jobs=5", flag, "/dev/full");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.out()).contains("lower bound");
        assertThat(run.err()).contains("cannot write '/dev/full': No space left on device");
    }

    @Test
    void theWorkloadIsNeverOverwritten() throws IOException {
        Path trace = trace("a,0,1,10");

        CommandRun run = CommandRun.of("simulate", "--workload", trace.toString(), "--jobs-out", trace.toString());

        assertThat(run.code()).isEqualTo(2);
        assertThat(Files.readAllLines(trace)).contains("a,0,1,10");
    }

    @ParameterizedTest
    @CsvSource({
        "simulate, --jobs-out, x-cdf.csv, is a file that --report",
        "simulate, --jobs-out, x.html, must be different files",
        "simulate, --events-out, y/../x-gantt-fifo.png, is a file that --report",
        "compare, --summary-out, x-summary.csv, is a file that --report",
        "compare, --summary-out, ./x.html, must be different files",
        "compare, --save, x-summary.csv, is a file that --report",
        "compare, --workload, x-waits.csv, is the workload"
    })
    void noFileOfACommandOverwritesAnother(String command, String flag, String name, String problem)
            throws IOException {
        Files.writeString(folder.resolve("x-waits.csv"), "id,submit_s,gpus,duration_s\na,0,1,10\n");
        String page = folder.resolve("x.html").toString();

        CommandRun run = CommandRun.of(command, flag, folder + "/" + name, "--report", page);

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains(problem);
        assertThat(names(folder)).containsExactly("x-waits.csv");
    }

    @Test
    void aFileMayBeNamedAfterTheReport() throws IOException {
        CommandRun run = CommandRun.of(
                "simulate",
                "--workload",
                "synthetic:jobs=5",
                "--report",
                folder.resolve("x.html").toString(),
                "--jobs-out",
                folder.resolve("x-jobs.csv").toString());

        assertThat(run.code()).isZero();
        assertThat(names(folder)).contains("x.html", "x-jobs.csv", "x-summary.csv");
    }

    @ParameterizedTest
    @ValueSource(strings = {"simulate", "compare"})
    void undeclaredRunTimesCauseAWarning(String command) throws IOException {
        String warning = "warning: 2 of 2 jobs declare no run time; they are treated as with none";
        String silent = trace("a,0,1,10", "b,0,1,10").toString();
        Path declared = folder.resolve("declared.csv");
        Files.writeString(declared, "id,submit_s,gpus,duration_s,declared_s\na,0,1,10,20\nb,0,1,10,\n");

        assertThat(CommandRun.of(command, "--workload", silent, "--estimator", "declared")
                        .err())
                .containsOnlyOnce(warning);
        assertThat(CommandRun.of(command, "--workload", silent).err()).doesNotContain("declare");
        assertThat(CommandRun.of(command, "--workload", declared.toString(), "--estimator", "declared")
                        .err())
                .doesNotContain("declare");
    }

    @Test
    void countsOfOneAreSingular() throws IOException {
        CommandRun run = CommandRun.of(
                "simulate", "--cluster", "1x1", "--workload", trace("a,0,1,10").toString());

        assertThat(run.code()).isZero();
        assertThat(run.out() + run.err()).contains("(1 GPU)", "1 job, ").doesNotContain("1 GPUs", "1 jobs");
    }

    private Path trace(String... jobs) throws IOException {
        Path file = folder.resolve("trace.csv");
        Files.writeString(file, "id,submit_s,gpus,duration_s\n" + String.join("\n", jobs) + "\n");
        return file;
    }

    private static List<String> names(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.map(f -> String.valueOf(f.getFileName())).sorted().toList();
        }
    }

    private static List<String> keys(JsonNode node) {
        List<String> keys = new ArrayList<>();
        node.fieldNames().forEachRemaining(keys::add);
        return keys;
    }

    private static Map<String, String> fields(String header, String line) {
        String[] names = header.split(",", -1);
        String[] values = line.split(",", -1);
        Map<String, String> fields = new HashMap<>();
        for (int i = 0; i < names.length; i++) {
            fields.put(names[i], values[i]);
        }
        return fields;
    }

    private static BigDecimal number(Map<String, String> job, String key) {
        return new BigDecimal(job.getOrDefault(key, ""));
    }
}
