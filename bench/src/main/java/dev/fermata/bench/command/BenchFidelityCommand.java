package dev.fermata.bench.command;

import dev.fermata.bench.measure.FidelityBenchmark;
import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OutputOptions;
import dev.fermata.cli.option.PolicyNames;
import dev.fermata.cli.output.StatusLine;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.policy.Suggestion;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.replay.ReplayReport;
import dev.fermata.report.summary.RunFields;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.report.text.StructuredOutput;
import dev.fermata.report.text.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code fermata bench fidelity}: real processes under a real daemon, and the same in the simulator. */
@Command(
        name = "fidelity",
        description =
                "Real jobs on virtual GPUs under a daemon of its own, then the same history in the simulator: how far apart they are.",
        sortOptions = false,
        footer = {"", "Example:", "  fermata bench fidelity --workload trials --jobs 40 --seconds 30"})
final class BenchFidelityCommand extends FermataCommand {
    private static final String ALL = "all";

    @Option(
            names = "--workload",
            paramLabel = "NAME",
            defaultValue = ALL,
            description = "trials, gangs, bursts or all (default: ${DEFAULT-VALUE}).")
    private String workload;

    @Option(
            names = "--policy",
            paramLabel = "P",
            defaultValue = "fermata",
            completionCandidates = PolicyNames.class,
            description = "The policy that decides (default: ${DEFAULT-VALUE}).")
    private String policy;

    @Option(names = "--jobs", paramLabel = "N", defaultValue = "120", description = "Jobs (default: ${DEFAULT-VALUE}).")
    private int jobs;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "150",
            description = "They arrive within this time (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Which jobs (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--keep",
            paramLabel = "FOLDER",
            description = "Write the histories there as NAME.json, for fermata replay --events.")
    private @Nullable Path keep;

    @Mixin
    private OutputOptions output;

    BenchFidelityCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() throws InterruptedException {
        OutputFormat format = output.format();
        List<String> names = names();
        PolicySpec decides = UserError.wrapInvalid(() -> PolicySpec.parse(policy));
        if (jobs < 10 || jobs > 10_000 || seconds < 1 || seconds > 86_400) {
            throw UserError.invalid(
                    "--jobs (" + jobs + ") must be from 10 to 10000, --seconds (" + seconds + ") from 1 to 86400");
        }
        List<FidelityBenchmark.FidelityResult> outcomes = new ArrayList<>();
        for (String name : names) {
            outcomes.add(run(name, decides.text()));
        }
        print(outcomes, format);
        return ExitCode.OK;
    }

    private List<String> names() {
        if (workload.equals(ALL)) {
            return FidelityBenchmark.workloads();
        }
        if (!FidelityBenchmark.workloads().contains(workload)) {
            throw UserError.invalid("--workload (" + workload + ") is unknown."
                    + Suggestion.didYouMean(workload, FidelityBenchmark.workloads()));
        }
        return List.of(workload);
    }

    private FidelityBenchmark.FidelityResult run(String name, String decides) throws InterruptedException {
        AtomicReference<String> line = new AtomicReference<>(name);
        try (StatusLine status = new StatusLine(err(), invocation.screen(), output.quiet, line::get)) {
            status.start();
            Path folder = Files.createTempDirectory("fermata-fidelity");
            try {
                return FidelityBenchmark.run(
                        folder,
                        keep == null ? null : Files.createDirectories(keep).resolve(name + ".json"),
                        name,
                        decides,
                        seed,
                        jobs,
                        seconds,
                        invocation.interruption(),
                        (submitted, ended) -> line.set(
                                name + ": " + submitted + " of " + jobs + " jobs submitted, " + ended + " ended"));
            } finally {
                BenchDaemonCommand.remove(folder);
            }
        } catch (IOException e) {
            throw UserError.failed(String.valueOf(e.getMessage()), e);
        }
    }

    private void print(List<FidelityBenchmark.FidelityResult> outcomes, OutputFormat format) {
        PrintWriter out = out();
        if (!format.isHumanReadable()) {
            StructuredOutput.write(
                    format, outcomes.stream().map(BenchFidelityCommand::fields).toList(), out);
            return;
        }
        for (FidelityBenchmark.FidelityResult outcome : outcomes) {
            out.println(outcome.workload() + ": "
                    + HumanFormat.amount(outcome.recorded().jobs(), "job") + " under "
                    + outcome.policy() + ", seed " + seed + "; half of them complete within "
                    + HumanFormat.percent(outcome.fidelity().medianJobError()) + " of the time they really took");
            ReplayReport.table(outcome.fidelity().sheet(outcome.policy()))
                    .render(invocation.screen())
                    .forEach(out::println);
            TextTable table = new TextTable()
                    .textColumn("estimator")
                    .numberColumn("mean JCT,\nfrom nothing", TextTable.ALWAYS)
                    .numberColumn("against\noracle", TextTable.ALWAYS)
                    .numberColumn("second half,\ntaught by the first", TextTable.ALWAYS)
                    .numberColumn("against\noracle", TextTable.ALWAYS);
            outcome.withoutHistory()
                    .forEach((name, mean) -> table.row(
                            name,
                            HumanFormat.number(mean) + "s",
                            changeAgainstOracle(outcome.withoutHistory(), name),
                            HumanFormat.number(outcome.withHistory().getOrDefault(name, 0.0)) + "s",
                            changeAgainstOracle(outcome.withHistory(), name)));
            out.println();
            table.render(invocation.screen()).forEach(out::println);
            out.println();
        }
        out.flush();
    }

    private static Map<String, Object> fields(FidelityBenchmark.FidelityResult outcome) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("workload", outcome.workload());
        fields.put("policy", outcome.policy());
        fields.put("jobs", outcome.recorded().jobs());
        fields.put("preemptions", outcome.recorded().summary().preemptions());
        fields.put(
                "fidelity",
                outcome.fidelity().metricErrors().stream()
                        .map(ReplayReport::fields)
                        .toList());
        fields.put("medianJobError", RunFields.rounded(outcome.fidelity().medianJobError(), 6));
        fields.put("holds", outcome.fidelity().holds());
        fields.put("meanJctSecondsByEstimator", seconds(outcome.withoutHistory()));
        fields.put("meanJctSecondsTaughtByFirstHalf", seconds(outcome.withHistory()));
        return fields;
    }

    private static Map<String, Object> seconds(Map<String, Double> means) {
        Map<String, Object> fields = new LinkedHashMap<>();
        means.forEach((name, mean) -> fields.put(name, RunFields.rounded(mean, 3)));
        return fields;
    }

    private static String changeAgainstOracle(Map<String, Double> means, String name) {
        return HumanFormat.change(means.getOrDefault(name, 0.0) / means.getOrDefault("oracle", 1.0) - 1);
    }
}
