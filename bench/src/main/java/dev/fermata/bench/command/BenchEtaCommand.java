package dev.fermata.bench.command;

import dev.fermata.bench.measure.LatencySample;
import dev.fermata.bench.measure.StartPredictionSpeed;
import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OutputOptions;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.text.Quantity;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.report.summary.RunFields;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.report.text.StructuredOutput;
import dev.fermata.report.text.TextTable;
import dev.fermata.sim.cluster.ClusterSpec;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code fermata bench eta}: how long it takes to predict all starts. */
@Command(
        name = "eta",
        description =
                "Time to predict the start of every waiting job on a full cluster; the share of the decision thread apart.",
        sortOptions = false,
        footer = {"", "Example:", "  fermata bench eta --cluster 125x8:V100 --pending 1000"})
final class BenchEtaCommand extends FermataCommand {
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

    BenchEtaCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() {
        OutputFormat format = output.format();
        long seedNumber = UserError.wrapInvalid(() -> Quantity.integer("--seed", seed, Long.MIN_VALUE, Long.MAX_VALUE));
        int waiting = UserError.wrapInvalid(() -> (int) Quantity.integer("--pending", pending, 1, 50_000));
        Topology topology = UserError.wrapInvalid(() -> ClusterSpec.parse(cluster));
        UserError.wrapInvalid(() -> PolicySpec.parse(policy));
        List<Map<String, Object>> rows = new ArrayList<>();
        for (boolean gangs : new boolean[] {false, true}) {
            if (!invocation.interruption().isRequested()) {
                rows.add(row(topology, waiting, gangs, seedNumber));
            }
        }
        print(rows, format);
        if (invocation.interruption().isRequested()) {
            throw UserError.interrupted("interrupted");
        }
        return ExitCode.OK;
    }

    private Map<String, Object> row(Topology topology, int waiting, boolean gangs, long seedNumber) {
        if (!output.quiet) {
            err().println((gangs ? "jobs of 1 to 8 GPUs" : "jobs of 1 GPU") + " …");
        }
        StartPredictionSpeed.PredictionTiming result = StartPredictionSpeed.measure(
                topology, policy, waiting, gangs, quick ? 10 : 40, seedNumber, invocation.interruption()::isRequested);
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

    private static Object millis(LatencySample sample, double percent) {
        return RunFields.rounded(sample.percentileMicros(percent) / 1000, 2);
    }

    private void print(List<Map<String, Object>> rows, OutputFormat format) {
        PrintWriter out = out();
        if (!format.isHumanReadable()) {
            StructuredOutput.write(format, rows, out);
            return;
        }
        TextTable table = new TextTable()
                .textColumn("jobs")
                .numberColumn("GPUs", 1)
                .numberColumn("running", TextTable.ALWAYS)
                .numberColumn("waiting", TextTable.ALWAYS)
                .numberColumn("scenarios", TextTable.ALWAYS)
                .numberColumn("first ms", 3)
                .numberColumn("max of first 10", 3)
                .numberColumn("p50 ms", TextTable.ALWAYS)
                .numberColumn("max ms", TextTable.ALWAYS)
                .numberColumn("CPU ms", TextTable.ALWAYS)
                .numberColumn("decision thread CPU p50 ms", 2)
                .numberColumn("max", 2);
        for (Map<String, Object> row : rows) {
            table.row(row.values().stream().map(String::valueOf).toArray(String[]::new));
        }
        table.render(invocation.screen()).forEach(out::println);
        out.println();
        out.println(
                "From the request to the predictions for all pending jobs, after ten warm-up requests; the scheduler loop"
                        + " takes the snapshot meanwhile.");
    }
}
