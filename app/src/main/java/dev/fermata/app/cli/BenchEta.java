package dev.fermata.app.cli;

import dev.fermata.app.bench.Latencies;
import dev.fermata.app.bench.StartSpeed;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Format;
import dev.fermata.app.output.Structured;
import dev.fermata.app.output.Table;
import dev.fermata.app.report.RunFields;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.text.Quantity;
import dev.fermata.sim.cluster.ClusterSpec;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code fermata bench eta}: how long it takes to foresee all starts. */
@Command(
        name = "eta",
        description =
                "Time to say when every waiting job will start, on a full cluster; the decision thread's share apart.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
        footer = {"", "Example:", "  fermata bench eta --cluster 125x8:V100 --pending 1000"})
final class BenchEta implements Callable<Integer> {
    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Option(names = "--quick", description = "Fewer rounds.")
    private boolean quick;

    @Option(
            names = "--cluster",
            paramLabel = "SPEC",
            defaultValue = "125x8:V100",
            description = "NODESxGPUS[:TYPE] (default: ${DEFAULT-VALUE}).")
    private String cluster;

    @Option(
            names = "--pending",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Jobs that wait (default: ${DEFAULT-VALUE}).")
    private String pending;

    @Option(
            names = "--policy",
            paramLabel = "P",
            defaultValue = "fermata",
            description = "Policy, with parameters (default: ${DEFAULT-VALUE}).")
    private String policy;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Seed (default: ${DEFAULT-VALUE}).")
    private String seed;

    @Mixin
    private OutputOptions output;

    BenchEta(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        Format format = output.format();
        long seedNumber = Complaint.ifInvalid(() -> Quantity.whole("--seed", seed, Long.MIN_VALUE, Long.MAX_VALUE));
        int waiting = Complaint.ifInvalid(() -> (int) Quantity.whole("--pending", pending, 1, 50_000));
        Topology topology = Complaint.ifInvalid(() -> ClusterSpec.parse(cluster));
        Complaint.ifInvalid(() -> PolicySpec.parse(policy));
        List<Map<String, Object>> rows = new ArrayList<>();
        for (boolean gangs : new boolean[] {false, true}) {
            if (!surroundings.interruption().asked()) {
                rows.add(row(topology, waiting, gangs, seedNumber));
            }
        }
        print(rows, format);
        if (surroundings.interruption().asked()) {
            throw Complaint.interrupted("interrupted");
        }
        return ExitCode.FINE;
    }

    private Map<String, Object> row(Topology topology, int waiting, boolean gangs, long seedNumber) {
        if (!output.quiet) {
            spec.commandLine().getErr().println((gangs ? "jobs of 1 to 8 GPUs" : "jobs of 1 GPU") + " …");
        }
        StartSpeed.Result result = StartSpeed.measure(
                topology, policy, waiting, gangs, quick ? 10 : 40, seedNumber, surroundings.interruption()::asked);
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("jobs", gangs ? "1 to 8 GPUs" : "1 GPU");
        row.put("gpus", topology.gpuCount());
        row.put("running", result.running());
        row.put("pending", result.pending());
        row.put("scenarios", result.scenarios());
        row.put("firstMillis", RunFields.rounded(result.firstMillis(), 1));
        row.put("coldMaxMillis", RunFields.rounded(result.coldMillis(), 1));
        row.put("p50Millis", millis(result.whole(), 50));
        row.put("maxMillis", millis(result.whole(), 100));
        row.put("cpuMillis", RunFields.rounded(result.cpuMillis(), 1));
        row.put("decisionThreadCpuP50Millis", millis(result.onDecisionThread(), 50));
        row.put("decisionThreadCpuMaxMillis", millis(result.onDecisionThread(), 100));
        return row;
    }

    private static Object millis(Latencies sample, double percent) {
        return RunFields.rounded(sample.percentileMicros(percent) / 1000, 2);
    }

    private void print(List<Map<String, Object>> rows, Format format) {
        PrintWriter out = spec.commandLine().getOut();
        if (!format.forPeople()) {
            Structured.write(format, rows, out);
            return;
        }
        Table table = new Table()
                .words("jobs")
                .numbers("GPUs", 1)
                .numbers("running", Table.ALWAYS)
                .numbers("waiting", Table.ALWAYS)
                .numbers("scenarios", Table.ALWAYS)
                .numbers("first ms", 3)
                .numbers("max of first 10", 3)
                .numbers("p50 ms", Table.ALWAYS)
                .numbers("max ms", Table.ALWAYS)
                .numbers("CPU ms", Table.ALWAYS)
                .numbers("decision thread CPU p50 ms", 2)
                .numbers("max", 2);
        for (Map<String, Object> row : rows) {
            table.row(row.values().stream().map(String::valueOf).toArray(String[]::new));
        }
        table.render(surroundings.screen()).forEach(out::println);
        out.println();
        out.println(
                "From the question to the answer for all who wait, once the first ten looks are over; the decision thread"
                        + " draws the sketch meanwhile.");
    }
}
