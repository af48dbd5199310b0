package dev.fermata.cli.simulation;

import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OutputOptions;
import dev.fermata.cli.option.ResultWarnings;
import dev.fermata.cli.option.TraceOptions;
import dev.fermata.core.text.Quantity;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.experiment.FillMatrix;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.input.ClusterInput;
import dev.fermata.insight.input.CostsInput;
import dev.fermata.insight.input.JobSelection;
import dev.fermata.insight.input.ModelsInput;
import dev.fermata.insight.input.SeedList;
import dev.fermata.insight.input.TraceCache;
import dev.fermata.insight.input.WorkloadInput;
import dev.fermata.report.summary.RunFields;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.report.text.StructuredOutput;
import dev.fermata.report.text.TextTable;
import dev.fermata.sim.experiment.ConfidenceInterval;
import dev.fermata.sim.experiment.FillExperiment;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code fermata fill}: how full a cluster gets when jobs only arrive, by placement. */
@Command(
        name = "fill",
        description = {
            "Measure how full a cluster gets when jobs only arrive, by placement.",
            "Jobs are drawn from the workload with replacement and placed one after another. None ever ends, and a job",
            "that does not fit is rejected."
        },
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  fermata fill --cluster 4x8x8:A100",
            "  fermata fill --cluster nodes.csv --workload pods.csv --places random,best-fit,fgd --seeds 1..10"
        })
public final class FillCommand extends FermataCommand {
    private static final double MAX_UNTIL = 1000;
    private static final int MAX_SHARE = 100;
    private static final int DECIMALS = 6;

    @Option(
            names = "--cluster",
            paramLabel = "SPEC",
            defaultValue = "16x8:V100",
            description =
                    "As for simulate: a spec, a YAML file, or a CSV table of machines (default: ${DEFAULT-VALUE}).")
    private String cluster;

    @Option(
            names = "--workload",
            paramLabel = "SPEC",
            defaultValue = "synthetic",
            description = "Where jobs are drawn from: a generator or a trace file (default: ${DEFAULT-VALUE}).")
    private String workload;

    @Option(
            names = "--places",
            paramLabel = "LIST",
            defaultValue = "random,best-fit,fgd",
            description =
                    "Placements joined by commas, as of 'place' in fermata policies fifo (default: ${DEFAULT-VALUE}).")
    private String places;

    @Option(
            names = "--until",
            paramLabel = "X",
            defaultValue = "1.3",
            description = "Requested GPUs over existing GPUs (default: ${DEFAULT-VALUE}).")
    private String until;

    @Option(
            names = "--share",
            paramLabel = "N",
            defaultValue = "100",
            description = "Jobs that may share one GPU, if they request parts (default: ${DEFAULT-VALUE}).")
    private String share;

    @Option(
            names = {"--seeds", "--seed"},
            paramLabel = "LIST",
            defaultValue = "1",
            description = "Seeds: 1..5 or 1,2,3; several give confidence intervals (default: ${DEFAULT-VALUE}).")
    private String seeds;

    @Mixin
    private TraceOptions trace;

    @Mixin
    private OutputOptions output;

    public FillCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() {
        OutputFormat shown = output.format();
        List<Long> seedList = UserError.wrapInvalid(() -> SeedList.parse(seeds));
        List<String> placeList = List.of(places.split(",", -1));
        TraceCache traces = trace.traces();
        FillMatrix filling = UserError.wrapInvalid(() -> filling(placeList, traces));
        PrintWriter err = err();
        ResultWarnings.printFor(traces, output.quiet, err);
        List<FillMatrix.FillRun> runs = filling.run(placeList, seedList, invocation.interruption(), one -> {
            if (!output.quiet) {
                err.println(one.place() + ", seed " + one.seed() + ": "
                        + HumanFormat.percent(one.result().allocated()));
            }
        });
        if (runs.isEmpty()) {
            throw UserError.interrupted("interrupted");
        }
        print(filling, placeList, runs, seedList, shown);
        return ExitCode.OK;
    }

    private FillMatrix filling(List<String> placeList, TraceCache traces) {
        FillMatrix filling = new FillMatrix(
                ClusterInput.parse(cluster),
                WorkloadInput.parse(
                        workload,
                        trace.format,
                        JobSelection.parse(trace.select, "1"),
                        CostsInput.parse("none"),
                        ModelsInput.parse("none"),
                        traces),
                Quantity.number("--until", until, 0.001, MAX_UNTIL),
                (int) Quantity.integer("--share", share, 1, MAX_SHARE));
        placeList.forEach(place -> filling.policy(place, 1));
        return filling;
    }

    private void print(
            FillMatrix filling,
            List<String> placeList,
            List<FillMatrix.FillRun> runs,
            List<Long> seedList,
            OutputFormat shown) {
        PrintWriter out = out();
        if (!shown.isHumanReadable()) {
            StructuredOutput.write(
                    shown, runs.stream().map(run -> fields(filling, run)).toList(), out);
            return;
        }
        TextTable table = new TextTable()
                .textColumn("place")
                .numberColumn("jobs", 1)
                .numberColumn("rejected", 2)
                .numberColumn("asked", 3)
                .numberColumn("allocated", TextTable.ALWAYS)
                .numberColumn("free, useless", 4);
        for (String place : placeList) {
            List<FillExperiment.FillResult> results = runs.stream()
                    .filter(run -> run.place().equals(place))
                    .map(FillMatrix.FillRun::result)
                    .toList();
            table.row(
                    place,
                    HumanFormat.count(
                            mean(results, FillExperiment.FillResult::arrived).mean()),
                    HumanFormat.count(
                            mean(results, FillExperiment.FillResult::rejected).mean()),
                    percent(mean(results, FillExperiment.FillResult::offered)),
                    percent(mean(results, FillExperiment.FillResult::allocated)),
                    percent(mean(results, FillExperiment.FillResult::unusable)));
        }
        table.render(invocation.screen()).forEach(out::println);
        out.println();
        out.println("Shares of all "
                + HumanFormat.amount(filling.cluster().topology().gpuCount(), "GPU") + " of " + cluster
                + "; seeds " + SeedList.format(seedList)
                + (seedList.size() > 1 ? ", ± is a 95 % confidence interval." : "."));
        out.println("Free, useless: to a job drawn from the workload, on average.");
    }

    private Map<String, Object> fields(FillMatrix filling, FillMatrix.FillRun run) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("place", run.place());
        fields.put("cluster", filling.cluster().name());
        fields.put("workload", workload);
        fields.put("seed", run.seed());
        fields.put("gpus", filling.cluster().topology().gpuCount());
        fields.put("jobs", run.result().arrived());
        fields.put("rejected", run.result().rejected());
        fields.put("gpusRequested", RunFields.rounded(run.result().offered(), DECIMALS));
        fields.put("gpuAllocation", RunFields.rounded(run.result().allocated(), DECIMALS));
        fields.put("fragmentation", RunFields.rounded(run.result().unusable(), DECIMALS));
        return fields;
    }

    private static ConfidenceInterval mean(
            List<FillExperiment.FillResult> results, ToDoubleFunction<FillExperiment.FillResult> of) {
        return ConfidenceInterval.of(results.stream().map(of::applyAsDouble).toList());
    }

    private static String percent(ConfidenceInterval share) {
        String mean = String.format(Locale.ROOT, "%.2f %%", 100 * share.mean());
        return share.halfWidth() == 0 ? mean : mean + String.format(Locale.ROOT, " ± %.2f", 100 * share.halfWidth());
    }
}
