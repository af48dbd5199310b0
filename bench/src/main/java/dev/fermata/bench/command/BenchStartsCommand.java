package dev.fermata.bench.command;

import dev.fermata.bench.measure.StartPredictionAccuracy;
import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OutputOptions;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.text.Quantity;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.input.SeedList;
import dev.fermata.live.prediction.PredictionEvaluator;
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

/** {@code fermata bench starts}: the accuracy of predicted starts. */
@Command(
        name = "starts",
        description =
                "How accurate predicted starts are on busy days, with the daemon's scheduler loop in virtual time.",
        sortOptions = false,
        footer = {"", "Example:", "  fermata bench starts --load 0.8,1.1 --seeds 1..5"})
final class BenchStartsCommand extends FermataCommand {
    @Option(
            names = "--cluster",
            paramLabel = "SPEC",
            defaultValue = "2x8:V100",
            description = "NODESxGPUS[:TYPE] (default: ${DEFAULT-VALUE}).")
    private String cluster;

    @Option(
            names = "--policies",
            paramLabel = "LIST",
            split = ",",
            defaultValue = "fermata",
            description = "Policies joined by commas (default: ${DEFAULT-VALUE}).")
    private List<String> policies;

    @Option(
            names = "--load",
            paramLabel = "LIST",
            split = ",",
            defaultValue = "0.8,0.95,1.1",
            description = "Submitted work as a share of the cluster's capacity (default: ${DEFAULT-VALUE}).")
    private List<String> loads;

    @Option(
            names = "--jobs",
            paramLabel = "N",
            defaultValue = "500",
            description = "Jobs of each run (default: ${DEFAULT-VALUE}).")
    private String jobs;

    @Option(
            names = "--seeds",
            paramLabel = "LIST",
            defaultValue = "1..5",
            description = "Seeds, such as 1..5 (default: ${DEFAULT-VALUE}).")
    private String seeds;

    @Option(names = "--no-arrivals", description = "Predictions that expect no further jobs, for comparison.")
    private boolean noArrivals;

    @Option(
            names = "--sweep",
            description = "Jobs of five programs, each time with other arguments; judges estimated run times too.")
    private boolean sweep;

    @Mixin
    private OutputOptions output;

    BenchStartsCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() {
        OutputFormat format = output.format();
        Topology topology = UserError.wrapInvalid(() -> ClusterSpec.parse(cluster));
        int count = UserError.wrapInvalid(() -> (int) Quantity.integer("--jobs", jobs, 10, 1_000_000));
        List<Long> drawn = UserError.wrapInvalid(() -> SeedList.parse(seeds));
        List<Map<String, Object>> rows = new ArrayList<>();
        for (String policy : policies) {
            UserError.wrapInvalid(() -> PolicySpec.parse(policy));
            for (String load : loads) {
                double share = UserError.wrapInvalid(() -> Quantity.number("--load", load, 0.01, 10));
                rows.add(row(topology, policy, count, share, drawn));
            }
        }
        print(rows, format, drawn);
        if (invocation.interruption().isRequested()) {
            throw UserError.interrupted("interrupted");
        }
        return ExitCode.OK;
    }

    private Map<String, Object> row(Topology topology, String policy, int count, double load, List<Long> drawn) {
        if (!output.quiet) {
            err().println(policy + ", load " + load + " …");
            err().flush();
        }
        int judged50 = 0;
        int by50 = 0;
        int judged90 = 0;
        int by90 = 0;
        double error = 0;
        double wait = 0;
        int runs = 0;
        List<Double> errors = new ArrayList<>();
        for (long seed : drawn) {
            if (invocation.interruption().isRequested()) {
                break;
            }
            StartPredictionAccuracy.Accuracy accuracy = StartPredictionAccuracy.measure(
                    sweep ? StartPredictionAccuracy.Workload.SWEEP : StartPredictionAccuracy.Workload.BUSY_DAY,
                    topology,
                    policy,
                    count,
                    load,
                    !noArrivals,
                    seed,
                    invocation.interruption()::isRequested);
            PredictionEvaluator.PredictionEvaluation outcome = accuracy.starts();
            errors.addAll(accuracy.runtimeErrors());
            judged50 += outcome.dueP50();
            by50 += outcome.metP50();
            judged90 += outcome.dueP90();
            by90 += outcome.metP90();
            error += outcome.medianErrorMillis() / 1000.0;
            wait += outcome.medianWaitMillis() / 1000.0;
            runs++;
        }
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("policy", policy);
        row.put("load", load);
        row.put("predictions", judged50);
        row.put("startedByP50", RunFields.rounded((double) by50 / Math.max(1, judged50), 3));
        row.put("startedByP90", RunFields.rounded((double) by90 / Math.max(1, judged90), 3));
        row.put("medianErrorSeconds", RunFields.rounded(error / Math.max(1, runs), 1));
        row.put("medianWaitSeconds", RunFields.rounded(wait / Math.max(1, runs), 1));
        if (sweep) {
            errors.sort(null);
            row.put("runtimes", errors.size());
            row.put(
                    "medianRuntimeError",
                    errors.isEmpty() ? Double.NaN : RunFields.rounded(errors.get(errors.size() / 2), 3));
        }
        return row;
    }

    private void print(List<Map<String, Object>> rows, OutputFormat format, List<Long> drawn) {
        PrintWriter out = out();
        if (!format.isHumanReadable()) {
            StructuredOutput.write(format, rows, out);
            return;
        }
        TextTable table = new TextTable()
                .textColumn("policy")
                .numberColumn("load", TextTable.ALWAYS)
                .numberColumn("predictions", TextTable.ALWAYS)
                .numberColumn("started by p50", TextTable.ALWAYS)
                .numberColumn("by p90", TextTable.ALWAYS)
                .numberColumn("median error s", 1)
                .numberColumn("median wait s", 2);
        if (sweep) {
            table.numberColumn("run times", 2).numberColumn("their median error", TextTable.ALWAYS);
        }
        for (Map<String, Object> row : rows) {
            table.row(row.values().stream().map(String::valueOf).toArray(String[]::new));
        }
        table.render(invocation.screen()).forEach(out::println);
        out.println();
        out.println("Right would be 0.5 and 0.9. Seeds " + SeedList.format(drawn) + ".");
    }
}
