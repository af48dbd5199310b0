package dev.fermata.app.cli;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.input.PolicyList;
import dev.fermata.app.input.SeedList;
import dev.fermata.app.input.Setting;
import dev.fermata.app.input.Traces;
import dev.fermata.app.input.Variation;
import dev.fermata.app.output.Format;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Progress;
import dev.fermata.app.output.StandardOutput;
import dev.fermata.app.output.Structured;
import dev.fermata.app.output.WholeFile;
import dev.fermata.app.report.Comparison;
import dev.fermata.app.report.ComparisonFields;
import dev.fermata.app.report.ComparisonTable;
import dev.fermata.app.run.Matrix;
import dev.fermata.app.run.Measured;
import dev.fermata.app.run.Sitting;
import dev.fermata.core.policy.Catalogue;
import dev.fermata.core.policy.PolicySpec;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code fermata compare}: several policies, seeds and values of keys, side by side. */
@Command(
        name = "compare",
        description = "Run several policies on the same workloads and put them side by side.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
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
final class Compare implements Callable<Integer> {
    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

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
                "Repeat with other values of a key: a knob of the generator (load, jobs, trial, …),",
                "cluster, estimator, costs, models, speedup, or policy.PARAM. Several --vary: every combination."
            })
    private List<String> vary = new ArrayList<>();

    @Option(
            names = "--baseline",
            paramLabel = "POLICY",
            completionCandidates = PolicyNames.class,
            description = "The policy that the others are held against, seed by seed (default: the first).")
    private @Nullable String baseline;

    @Mixin
    private ThreadOptions threads;

    @Mixin
    private ScenarioOptions scenario;

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

    Compare(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        Format format = output.format();
        List<Long> seedList = Complaint.ifInvalid(() -> SeedList.parse(seeds));
        int threadCount = threads.count();
        List<PolicySpec> chosen = Complaint.ifInvalid(
                () -> PolicyList.parse(policies.equals("all") ? String.join(",", Catalogue.names()) : policies));
        int baselinePlace = Complaint.ifInvalid(() -> PolicyList.place("--baseline", baseline, chosen));
        List<Setting> settings = Complaint.ifInvalid(() -> settings(chosen));
        OutputFiles files =
                new OutputFiles(report).add("--summary-out", summaryOut).add("--save", saves.save);
        settings.forEach(setting -> setting.workload().file().ifPresent(files::spare));
        Sitting sitting = report.asked() ? Sitting.forReport(settings, seedList) : Sitting.NONE;
        Matrix matrix = new Matrix(settings, seedList, sitting, surroundings.interruption());
        long begin = System.nanoTime();
        try (WholeFile summary = summaryOut == null ? null : WholeFile.open(summaryOut);
                WholeFile page = report.open();
                SavedComparison saved = SavedComparison.open(
                        saves.saving(surroundings.environment()),
                        matrix.cells(),
                        typed(),
                        spec.commandLine().getErr(),
                        output.quiet)) {
            List<Measured> runs = run(matrix, threadCount, saved);
            print(runs, baselinePlace, seedList, format);
            if (summary != null) {
                write(Comparison.of(runs, baselinePlace), baselinePlace, summary);
            }
            Warnings.about(runs, spec.commandLine().getErr());
            Warnings.aboutDeclared(settings, seedList.get(0), spec.commandLine().getErr());
            if (runs.size() < matrix.cells().size()) {
                throw Complaint.interrupted("interrupted; " + saved.wayOn(runs.size()));
            }
            if (page != null) {
                report.write(Comparison.of(runs, baselinePlace), page, spec);
            }
            StandardOutput.flush(spec.commandLine().getOut()); // until it is out, the runs are needed
            saved.complete();
        }
        if (!output.quiet) {
            spec.commandLine()
                    .getErr()
                    .println(matrix.cells().size() + " runs in " + Humane.time((System.nanoTime() - begin) / 1e9));
        }
        return ExitCode.FINE;
    }

    private List<Setting> settings(List<PolicySpec> chosen) {
        Traces traces = scenario.traces();
        List<Setting> settings =
                Variation.product(vary.stream().map(Variation::parse).toList(), scenario.with(chosen), traces);
        Warnings.about(traces, output.quiet, spec.commandLine().getErr());
        report.remark(traces);
        return settings;
    }

    private List<String> typed() {
        return spec.root().commandLine().getParseResult().originalArgs();
    }

    private List<Measured> run(Matrix matrix, int threadCount, SavedComparison saved) {
        try (Progress progress =
                Progress.start(spec.commandLine().getErr(), surroundings.screen(), output.quiet, threadCount)) {
            return matrix.run(threadCount, progress, saved.shelf());
        } catch (RuntimeException | Error e) {
            saved.mourn();
            throw e;
        }
    }

    private void print(List<Measured> runs, int baselinePlace, List<Long> seedList, Format format) {
        PrintWriter out = spec.commandLine().getOut();
        if (format.forPeople()) {
            new ComparisonTable(runs, baselinePlace, seedList, format == Format.WIDE, surroundings.screen(), out)
                    .print();
        } else {
            Structured.write(format, ComparisonFields.runs(Comparison.of(runs, baselinePlace), baselinePlace), out);
        }
    }

    private static void write(Comparison comparison, int baselinePlace, WholeFile file) {
        StringWriter text = new StringWriter();
        Structured.write(Format.CSV, ComparisonFields.summaries(comparison, baselinePlace), new PrintWriter(text));
        file.write(text.toString());
    }
}
