package dev.fermata.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every mistake: exit code 2, a line or two that name the value and the rule, no trace, no file left behind. */
class BadInputTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "simulate --policy sftr | 'sftr' | srtf",
                "simulate --policy las:queue=3 | 'queue' | queues",
                "simulate --policy las:queues=99 | 99 | from 1 to 16",
                "simulate --policy las:queues | 'queues' | key=value",
                "simulate --cluster 0x8 | '0x8' | from 1 to",
                "simulate --cluster 16y8 | '16y8' | NODESxGPUS",
                "simulate --cluster= | '' | NODESxGPUS",
                "simulate --cluster 1x | '1x' | NODESxGPUS",
                "simulate --cluster 9999999x99 | '9999999x99' | more than",
                "simulate --workload synthetic:jbs=3 | 'jbs' | jobs",
                "simulate --workload synthetic:jobs=many | many | whole number",
                "simulate --workload synthetic:load=-1 | -1 | from 0.01 to 100",
                "simulate --workload sintetic | sintetic | synthetic",
                "simulate --workload gone.csv | gone.csv | neither a file nor a generator",
                "simulate --format phily | phily | Did you mean 'philly'",
                "simulate --format fremata | fremata | fermata",
                "simulate --select firs=3 | firs=3 | first",
                "simulate --select first=0 | 0 | from 1",
                "simulate --select from=1y | 1y | time such as",
                "simulate --select from=90d | from=90d | none of the",
                "simulate --speedup 0 | 0 | from",
                "simulate --seed one | one | whole number",
                "simulate -o jsn | jsn | json",
                "simulate --estimator orakel | orakel | oracle",
                "simulate --estimator noisy:much | much | from 0 to 10",
                "simulate --costs dear | dear | scale:X",
                "simulate --costs scale:x | x | number",
                "simulate --models guess | guess | rule",
                "profiles resnet5O | resnet5O | resnet50",
                "simulate --faults node | node | key=value",
                "simulate --faults nodes=3d | nodes | node",
                "simulate --faults node=soon | soon | time such as",
                "simulate --model-error some | some | measured",
                "simulate --model-error type=1 | type | types",
                "compare --model-error network=3 | 3 | from 0 to 1",
                "compare --vary model-error=none,mesured | mesured | measured",
                "simulate --guard of | of | off",
                "simulate --polcy las | --polcy | --policy",
                "simulate --policy | --policy | required",
                "simulate more | more | unexpected",
                "simulte | simulte | simulate",
                "compare --policies fifo,,srtf | '' | Known: fifo",
                "compare --seeds 5..1 | 5..1 | backwards",
                "compare --seeds 1,x | 'x' | whole numbers",
                "compare --seeds 1,1 | 1,1 | twice",
                "compare --threads 0 | 0 | from 1",
                "compare --vary lod=1,2 | lod | load",
                "compare --vary load | load | KEY=v1,v2",
                "compare --vary load=1,1 | load=1,1 | different",
                "compare --vary load=1,x | x | number",
                "compare --vary policy.lease=1h | 'lease' | fifo",
                "policies lass | lass | las",
                "tune --objective meanJtc | meanJtc | meanJct",
                "tune --minutes 0 | 0 | more than 0",
                "replay --policy fif | 'fif' | fifo",
                "replay --estimator lives | lives | live",
                "simulate --cluster 1x4 --workload jps: --policy jps:beta=2 | beta | from 0 to 1",
                "simulate --cluster 1x4 --workload jps:min=3,max=2 --policy jps | max (2) | min (3)",
                "trace inspect gone.csv | gone.csv | no such file",
                "trace inspect gone.csv --format ipt | ipt | itp",
                "trace inspect gone.csv --select firs=3 | firs=3 | first",
                "trace inspekt | inspekt | inspect",
                "trace convert gone.csv | --out | required",
                "trace convert gone.csv --out x.csv | gone.csv | no such file",
                "trace sample gone.csv --out x.csv | --jobs | --share",
                "trace sample gone.csv --jobs 1 --seed x --out x.csv | x | whole number",
                "completion fisch | fisch | fish"
            })
    void badFlagIsNamedWithItsRule(String commandLine, String value, String rule) {
        List<String> args = new ArrayList<>(List.of(commandLine.split(" ")));
        if (args.get(0).equals("simulate") && !args.get(args.size() - 1).equals("--policy")) {
            args.add(1, "--jobs-out=" + folder.resolve("jobs.csv"));
        }

        CommandRun run = CommandRun.of(args.toArray(String[]::new));

        assertRefused(run, value, rule);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "\"\" | :1: | no jobs",
                "id,submit_s,gpus\\na,0,1 | :1: | 'duration_s' is missing",
                "id,submit_s,gpus,duration_s,colour\\na,0,1,5,red | :1: | unknown column 'colour'",
                "id,submit_s,gpus,duration_s\\na,0,1,5\\nb,0,1,-5 | :3: | duration_s (-5)",
                "id,submit_s,gpus,duration_s\\na,0,some,5 | :2: | gpus (some) must be a number",
                "id,submit_s,gpus,duration_s\\na,0,1.5,5 | :2: | gpus (1.5) must be a whole number",
                "id,submit_s,gpus,duration_s\\na,-1,1,5 | :2: | submit_s (-1)",
                "id,submit_s,gpus,duration_s\\na,0,1,5\\na,9,1,5 | :3: | id (a) is used twice",
                "id,submit_s,gpus,duration_s,gpus\\na,0,1,5,1 | trace.csv | duplicate",
                "id,submit_s,gpus,duration_s\\na,0,999,5 | a needs 999 GPUs | at most 128"
            })
    void badTraceLineIsNamedByFileAndLine(String text, String where, String rule) throws IOException {
        Path trace = folder.resolve("trace.csv");
        Files.writeString(trace, text.replace("\\n", "\n"));

        CommandRun run = CommandRun.of(
                "simulate",
                "--workload",
                trace.toString(),
                "--jobs-out",
                folder.resolve("jobs.csv").toString());
        Files.delete(trace);

        assertRefused(run, where, rule);
        assertThat(run.err()).contains("trace.csv");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "racks: [{nodes: [{gpu: 8}]}] | unknown key 'gpu' in racks[0].nodes[0] | Did you mean 'gpus'",
                "racks: [{nodes: [{type: V100}]}] | 'gpus' is missing | racks[0].nodes[0]",
                "racks: [{nodes: [{gpus: 0}]}] | gpus (0) | from 1",
                "racks: [{nodes: [{gpus: 8, memory: 512}]}] | memory (512) | GiB",
                "racks: [{nodes: [{gpus: 8, memory: 512GB}]}] | memory (512GB) | GiB",
                "racks: [{nodes: [{gpus: 8, type: V10}]}] | type (V10) | gpuTypes",
                "racks: [{nodes: [{gpus: 8, cpus: lots}]}] | cpus (lots) | number",
                "racks: [{nodes: []}] | racks[0].nodes | empty",
                "racks: [] | racks | empty",
                "racks: 3 | racks (3) | list",
                "nodes: 3 | unknown key 'nodes' | racks",
                "network: {rack: {gbps: 3}} | unknown key 'gbps' | gbytesPerSecond",
                "gpuTypes: {X: {memory: 40}} | memory (40) | GiB",
                "racks: [ | not readable as YAML | cluster.yaml:",
                "\"\" | cluster.yaml | empty",
                "racks: [{nodes: [{name: a, gpus: 1}, {name: a, gpus: 1}]}] | 'a' | second time"
            })
    void badClusterFileIsNamedByFileAndLine(String text, String where, String rule) throws IOException {
        Path cluster = folder.resolve("cluster.yaml");
        Files.writeString(cluster, text);

        CommandRun run = CommandRun.of(
                "simulate",
                "--cluster",
                cluster.toString(),
                "--jobs-out",
                folder.resolve("jobs.csv").toString());
        Files.delete(cluster);

        assertRefused(run, where, rule);
        assertThat(run.err()).contains("cluster.yaml");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "costs.yaml | resnet50: {preempt: 3} | unknown key 'preempt' | preemptSeconds",
                "costs.yaml | resnet50: {preemptSeconds: -3} | preemptSeconds (-3) | from 0",
                "costs.csv | model,preemptSeconds\\nresnet50,soon | costs.csv:2: preemptSeconds (soon) | number",
                "costs.csv | model,preempt\\nresnet50,1 | unknown column 'preempt' | preemptSeconds",
                "costs.csv | model,preemptSeconds | costs.csv | names no model"
            })
    void badCostsFileIsNamed(String name, String text, String where, String rule) throws IOException {
        Path costs = folder.resolve(name);
        Files.writeString(costs, text.replace("\\n", "\n"));

        CommandRun run = CommandRun.of("simulate", "--costs", costs.toString());
        Files.delete(costs);

        assertRefused(run, where, rule);
    }

    @Test
    void verboseShowsTheTrace() {
        assertThat(CommandRun.of("simulate", "--policy", "nothing", "--verbose").err())
                .contains("\tat ");
    }

    private void assertRefused(CommandRun run, String value, String rule) {
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("fermata: ").contains(value, rule).doesNotContain("\tat ", "Exception");
        assertThat(run.err().lines()).hasSizeLessThanOrEqualTo(2);
        assertThat(folder).isEmptyDirectory();
    }
}
