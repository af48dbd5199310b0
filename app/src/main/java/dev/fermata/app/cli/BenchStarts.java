package dev.fermata.app.cli;

import dev.fermata.app.bench.StartAccuracy;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.input.SeedList;
import dev.fermata.app.output.Format;
import dev.fermata.app.output.Structured;
import dev.fermata.app.output.Table;
import dev.fermata.app.report.RunFields;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.text.Quantity;
import dev.fermata.live.foresee.StartCalibration;
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

/** {@code fermata bench starts}: how right expected starts are. */
@Command(
        name = "starts",
        description =
                "How right expected starts are, on busy days that the daemon's conductor lives through in virtual time.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
        footer = {"", "Example:", "  fermata bench starts --load 0.8,1.1 --seeds 1..5"})
final class BenchStarts implements Callable<Integer> {
    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

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
            description = "Work that comes as a share of what the cluster can do (default: ${DEFAULT-VALUE}).")
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

    @Option(names = "--no-arrivals", description = "Forecasts that expect nobody else to come, for comparison.")
    private boolean noArrivals;

    @Mixin
    private OutputOptions output;

    BenchStarts(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        Format format = output.format();
        Topology topology = Complaint.ifInvalid(() -> ClusterSpec.parse(cluster));
        int count = Complaint.ifInvalid(() -> (int) Quantity.whole("--jobs", jobs, 10, 1_000_000));
        List<Long> drawn = Complaint.ifInvalid(() -> SeedList.parse(seeds));
        List<Map<String, Object>> rows = new ArrayList<>();
        for (String policy : policies) {
            Complaint.ifInvalid(() -> PolicySpec.parse(policy));
            for (String load : loads) {
                double share = Complaint.ifInvalid(() -> Quantity.number("--load", load, 0.01, 10));
                rows.add(row(topology, policy, count, share, drawn));
            }
        }
        print(rows, format, drawn);
        if (surroundings.interruption().asked()) {
            throw Complaint.interrupted("interrupted");
        }
        return ExitCode.FINE;
    }

    private Map<String, Object> row(Topology topology, String policy, int count, double load, List<Long> drawn) {
        if (!output.quiet) {
            spec.commandLine().getErr().println(policy + ", load " + load + " …");
            spec.commandLine().getErr().flush();
        }
        int judged50 = 0;
        int by50 = 0;
        int judged90 = 0;
        int by90 = 0;
        double error = 0;
        double wait = 0;
        int runs = 0;
        for (long seed : drawn) {
            if (surroundings.interruption().asked()) {
                break;
            }
            StartCalibration.Verdict verdict = StartAccuracy.measure(
                    topology, policy, count, load, !noArrivals, seed, surroundings.interruption()::asked);
            judged50 += verdict.judged50();
            by50 += verdict.by50();
            judged90 += verdict.judged90();
            by90 += verdict.by90();
            error += verdict.medianErrorMillis() / 1000.0;
            wait += verdict.medianWaitMillis() / 1000.0;
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
        return row;
    }

    private void print(List<Map<String, Object>> rows, Format format, List<Long> drawn) {
        PrintWriter out = spec.commandLine().getOut();
        if (!format.forPeople()) {
            Structured.write(format, rows, out);
            return;
        }
        Table table = new Table()
                .words("policy")
                .numbers("load", Table.ALWAYS)
                .numbers("predictions", Table.ALWAYS)
                .numbers("started by p50", Table.ALWAYS)
                .numbers("by p90", Table.ALWAYS)
                .numbers("median error s", 1)
                .numbers("median wait s", 2);
        for (Map<String, Object> row : rows) {
            table.row(row.values().stream().map(String::valueOf).toArray(String[]::new));
        }
        table.render(surroundings.screen()).forEach(out::println);
        out.println();
        out.println("Right would be 0.5 and 0.9. Seeds " + SeedList.show(drawn) + ".");
    }
}
