package dev.fermata.cli.simulation;

import dev.fermata.cli.option.ExperimentOptions;
import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OutputFiles;
import dev.fermata.cli.option.OutputOptions;
import dev.fermata.cli.option.PolicyNames;
import dev.fermata.cli.option.ReportOption;
import dev.fermata.cli.option.ResultWarnings;
import dev.fermata.cli.option.SaveOptions;
import dev.fermata.cli.option.ThreadOptions;
import dev.fermata.cli.output.ProgressDisplay;
import dev.fermata.cli.output.StandardOutput;
import dev.fermata.core.policy.PolicyCatalogue;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.experiment.ExperimentMatrix;
import dev.fermata.insight.experiment.FigurePlan;
import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.insight.file.AtomicFile;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.input.ExperimentSetting;
import dev.fermata.insight.input.PolicyList;
import dev.fermata.insight.input.SeedList;
import dev.fermata.insight.input.TraceCache;
import dev.fermata.insight.input.Variation;
import dev.fermata.report.comparison.Comparison;
import dev.fermata.report.comparison.ComparisonFields;
import dev.fermata.report.comparison.ComparisonTable;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.report.text.StructuredOutput;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code fermata compare}: several policies, seeds and values of keys, side by side. */
@Command(
        name = "compare",
        description = "Run several policies on the same workloads and put them side by side.",
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  fermata compare",
            "  fermata compare --policies fifo,las:queues=3,threshold=100,srtf --seeds 1..5",
            "  fermata compare --policies fifo,srtf --vary load=0.7,0.9,1.1 -o csv",
            "  fermata compare --policies las --vary policy.threshold=1000,10000",
            "  fermata compare --seeds 1..20 --vary load=0.7,1.1 --vary costs=none,profiles --save runs.jsonl",
            "  fermata compare --seeds 1..20 --resume"
        })
public final class CompareCommand extends FermataCommand {
    @Option(
            names = "--policies",
            paramLabel = "LIST",
            defaultValue = "all",
            completionCandidates = PolicyNames.class,
            description = "Policies joined by commas, or all (default: ${DEFAULT-VALUE}).")
    private String policies;

    @Option(
            names = {"--seeds", "--seed"},
            paramLabel = "LIST",
            defaultValue = "1",
            description = "Seeds: 1..5 or 1,2,3; several give confidence intervals (default: ${DEFAULT-VALUE}).")
    private String seeds;

    @Option(
            names = "--vary",
            paramLabel = "KEY=v1,v2,…",
            description = {
                "Repeat with other values of a key: a parameter of the generator (load, jobs, trial, …),",
                "cluster, estimator, costs, models, speedup, or policy.PARAM. Several --vary: every combination."
            })
    private List<String> vary = new ArrayList<>();

    @Option(
            names = "--baseline",
            paramLabel = "POLICY",
            completionCandidates = PolicyNames.class,
            description = "The policy that the others are compared with, seed by seed (default: the first).")
    private @Nullable String baseline;

    @Mixin
    private ThreadOptions threads;

    @Mixin
    private ExperimentOptions experiment;

    @Mixin
    private SaveOptions saves;

    @Option(
            names = "--summary-out",
            paramLabel = "FILE.csv",
            description = "Write a line per policy and setting: means, intervals, change against the baseline.")
    private @Nullable String summaryOut;

    @Mixin
    private ReportOption report;

    @Mixin
    private OutputOptions output;

    public CompareCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() {
        OutputFormat format = output.format();
        List<Long> seedList = UserError.wrapInvalid(() -> SeedList.parse(seeds));
        int threadCount = threads.count();
        List<PolicySpec> chosen = UserError.wrapInvalid(
                () -> PolicyList.parse(policies.equals("all") ? String.join(",", PolicyCatalogue.names()) : policies));
        int baselinePlace = UserError.wrapInvalid(() -> PolicyList.indexOf("--baseline", baseline, chosen));
        List<ExperimentSetting> settings = UserError.wrapInvalid(() -> settings(chosen));
        OutputFiles files =
                new OutputFiles(report).add("--summary-out", summaryOut).add("--save", saves.save);
        settings.forEach(setting -> setting.workload().file().ifPresent(files::requireNotWritten));
        FigurePlan figurePlan = report.isRequested() ? FigurePlan.forReport(settings, seedList) : FigurePlan.NONE;
        ExperimentMatrix matrix = new ExperimentMatrix(settings, seedList, figurePlan, invocation.interruption());
        long begin = System.nanoTime();
        try (AtomicFile summary = summaryOut == null ? null : AtomicFile.open(summaryOut);
                AtomicFile page = report.open();
                SavedComparison saved = SavedComparison.open(
                        saves.saveLocation(invocation.environment()),
                        matrix.cells(),
                        arguments(),
                        err(),
                        output.quiet)) {
            List<MeasuredRun> runs = run(matrix, threadCount, saved);
            print(runs, baselinePlace, seedList, format);
            if (summary != null) {
                write(Comparison.of(runs, baselinePlace), baselinePlace, summary);
            }
            ResultWarnings.printFor(runs, err());
            ResultWarnings.printUndeclared(settings, seedList.get(0), err());
            if (runs.size() < matrix.cells().size()) {
                throw UserError.interrupted("interrupted; " + saved.resumeHint(runs.size()));
            }
            if (page != null) {
                report.write(Comparison.of(runs, baselinePlace), page, spec);
            }
            StandardOutput.flush(out()); // until it is out, the runs are needed
            saved.complete();
        }
        if (!output.quiet) {
            spec.commandLine()
                    .getErr()
                    .println(HumanFormat.amount(matrix.cells().size(), "run") + " in "
                            + HumanFormat.time((System.nanoTime() - begin) / 1e9));
        }
        return ExitCode.OK;
    }

    private List<ExperimentSetting> settings(List<PolicySpec> chosen) {
        TraceCache traces = experiment.traces();
        List<ExperimentSetting> settings =
                Variation.product(vary.stream().map(Variation::parse).toList(), experiment.spec(chosen), traces);
        ResultWarnings.printFor(traces, output.quiet, err());
        report.addRemarks(traces);
        return settings;
    }

    private List<String> arguments() {
        return spec.root().commandLine().getParseResult().originalArgs();
    }

    private List<MeasuredRun> run(ExperimentMatrix matrix, int threadCount, SavedComparison saved) {
        try (ProgressDisplay progress = ProgressDisplay.start(err(), invocation.screen(), output.quiet, threadCount)) {
            return matrix.run(threadCount, progress, saved.runCache());
        } catch (RuntimeException | Error e) {
            saved.printResumeHint();
            throw e;
        }
    }

    private void print(List<MeasuredRun> runs, int baselinePlace, List<Long> seedList, OutputFormat format) {
        PrintWriter out = out();
        if (format.isHumanReadable()) {
            new ComparisonTable(runs, baselinePlace, seedList, format == OutputFormat.WIDE, invocation.screen(), out)
                    .print();
        } else {
            StructuredOutput.write(
                    format, ComparisonFields.runs(Comparison.of(runs, baselinePlace), baselinePlace), out);
        }
    }

    private static void write(Comparison comparison, int baselinePlace, AtomicFile file) {
        StringWriter text = new StringWriter();
        StructuredOutput.write(
                OutputFormat.CSV, ComparisonFields.summaries(comparison, baselinePlace), new PrintWriter(text));
        file.write(text.toString());
    }
}
