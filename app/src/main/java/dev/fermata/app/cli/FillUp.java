package dev.fermata.app.cli;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.input.ClusterInput;
import dev.fermata.app.input.CostsInput;
import dev.fermata.app.input.ModelsInput;
import dev.fermata.app.input.SeedList;
import dev.fermata.app.input.Selection;
import dev.fermata.app.input.Traces;
import dev.fermata.app.input.WorkloadInput;
import dev.fermata.app.output.Format;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Structured;
import dev.fermata.app.output.Table;
import dev.fermata.app.report.RunFields;
import dev.fermata.app.run.Filling;
import dev.fermata.core.text.Quantity;
import dev.fermata.sim.experiment.Estimate;
import dev.fermata.sim.experiment.Fill;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code fermata fill}: how full a cluster gets when jobs only arrive, by placement. */
@Command(
        name = "fill",
        description = {
            "How full a cluster gets when jobs only arrive: drawn from the workload with replacement, placed one after",
            "another, none ever leaves, and who does not fit is turned away."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
        footer = {
            "",
            "Examples:",
            "  fermata fill --cluster 4x8x8:A100",
            "  fermata fill --cluster nodes.csv --workload pods.csv --places random,best-fit,fgd --seeds 1..10"
        })
final class FillUp implements Callable<Integer> {
    private static final double MOST_UNTIL = 1000;
    private static final int MOST_SHARE = 100;
    private static final int DECIMALS = 6;

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

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
            description = "GPUs asked for in all, over those there are (default: ${DEFAULT-VALUE}).")
    private String until;

    @Option(
            names = "--share",
            paramLabel = "N",
            defaultValue = "100",
            description = "Jobs that may share one GPU, if they ask for parts (default: ${DEFAULT-VALUE}).")
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

    FillUp(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        Format shown = output.format();
        List<Long> seedList = Complaint.ifInvalid(() -> SeedList.parse(seeds));
        List<String> placeList = List.of(places.split(",", -1));
        Traces traces = trace.traces();
        Filling filling = Complaint.ifInvalid(() -> filling(placeList, traces));
        PrintWriter err = spec.commandLine().getErr();
        Warnings.about(traces, output.quiet, err);
        List<Filling.Filled> runs = filling.run(placeList, seedList, surroundings.interruption(), one -> {
            if (!output.quiet) {
                err.println(one.place() + ", seed " + one.seed() + ": "
                        + Humane.percent(one.result().allocated()));
            }
        });
        if (runs.isEmpty()) {
            throw Complaint.interrupted("interrupted");
        }
        print(filling, placeList, runs, seedList, shown);
        return ExitCode.FINE;
    }

    private Filling filling(List<String> placeList, Traces traces) {
        Filling filling = new Filling(
                ClusterInput.parse(cluster),
                WorkloadInput.parse(
                        workload,
                        trace.format,
                        Selection.parse(trace.select, "1"),
                        CostsInput.parse("none"),
                        ModelsInput.parse("none"),
                        traces),
                Quantity.number("--until", until, 0.001, MOST_UNTIL),
                (int) Quantity.whole("--share", share, 1, MOST_SHARE));
        placeList.forEach(place -> filling.policy(place, 1));
        return filling;
    }

    private void print(
            Filling filling, List<String> placeList, List<Filling.Filled> runs, List<Long> seedList, Format shown) {
        PrintWriter out = spec.commandLine().getOut();
        if (!shown.forPeople()) {
            Structured.write(
                    shown, runs.stream().map(run -> fields(filling, run)).toList(), out);
            return;
        }
        Table table = new Table()
                .words("place")
                .numbers("jobs", 1)
                .numbers("refused", 2)
                .numbers("asked", 3)
                .numbers("allocated", Table.ALWAYS)
                .numbers("free, useless", 4);
        for (String place : placeList) {
            List<Fill.Result> results = runs.stream()
                    .filter(run -> run.place().equals(place))
                    .map(Filling.Filled::result)
                    .toList();
            table.row(
                    place,
                    Humane.count(mean(results, Fill.Result::arrived).mean()),
                    Humane.count(mean(results, Fill.Result::refused).mean()),
                    percent(mean(results, Fill.Result::offered)),
                    percent(mean(results, Fill.Result::allocated)),
                    percent(mean(results, Fill.Result::useless)));
        }
        table.render(surroundings.screen()).forEach(out::println);
        out.println();
        out.println(
                "Shares of all " + Humane.amount(filling.cluster().topology().gpuCount(), "GPU") + " of " + cluster
                        + "; seeds " + SeedList.show(seedList)
                        + (seedList.size() > 1 ? ", ± is a 95 % confidence interval." : "."));
        out.println("Free, useless: to a job drawn from the workload, on average.");
    }

    private Map<String, Object> fields(Filling filling, Filling.Filled run) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("place", run.place());
        fields.put("cluster", filling.cluster().name());
        fields.put("workload", workload);
        fields.put("seed", run.seed());
        fields.put("gpus", filling.cluster().topology().gpuCount());
        fields.put("jobs", run.result().arrived());
        fields.put("refused", run.result().refused());
        fields.put("gpusAsked", RunFields.rounded(run.result().offered(), DECIMALS));
        fields.put("gpuAllocation", RunFields.rounded(run.result().allocated(), DECIMALS));
        fields.put("fragmentation", RunFields.rounded(run.result().useless(), DECIMALS));
        return fields;
    }

    private static Estimate mean(List<Fill.Result> results, ToDoubleFunction<Fill.Result> of) {
        return Estimate.of(results.stream().map(of::applyAsDouble).toList());
    }

    private static String percent(Estimate share) {
        String mean = String.format(Locale.ROOT, "%.2f %%", 100 * share.mean());
        return share.halfWidth() == 0 ? mean : mean + String.format(Locale.ROOT, " ± %.2f", 100 * share.halfWidth());
    }
}
