package dev.fermata.research.command;

import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OutputOptions;
import dev.fermata.cli.option.ThreadOptions;
import dev.fermata.cli.option.Version;
import dev.fermata.core.policy.Suggestion;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.file.AtomicFile;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.input.SeedList;
import dev.fermata.report.html.ReportOrigin;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.report.text.StructuredOutput;
import dev.fermata.research.Finding;
import dev.fermata.research.Reproduction;
import dev.fermata.research.ReproductionReport;
import dev.fermata.research.report.ChapterText;
import dev.fermata.research.report.FindingFields;
import dev.fermata.research.report.ReproductionPage;
import dev.fermata.research.run.PaperProgress;
import dev.fermata.research.run.ReproductionRunner;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fermata reproduce}: the papers' own experiments, with published and measured results. */
@Command(
        name = "reproduce",
        description = "Repeat a paper's experiment and compare its claims with the results here.",
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  fermata reproduce all --report papers.html",
            "  fermata reproduce xion --seeds 1..10",
            "  fermata reproduce dally --data traces",
            "  fermata reproduce fitgpp -o json"
        })
final class ReproduceCommand extends FermataCommand {
    private final Supplier<List<Reproduction>> reproductions;

    @Parameters(
            paramLabel = "PAPER",
            completionCandidates = PaperNames.class,
            description = "One of ${COMPLETION-CANDIDATES}.")
    private String paper;

    @Option(
            names = {"--seeds", "--seed"},
            paramLabel = "LIST",
            defaultValue = "1..5",
            description = "Seeds: 1..5 or 1,2,3; several give confidence intervals (default: ${DEFAULT-VALUE}).")
    private String seeds;

    @Option(
            names = "--data",
            paramLabel = "FOLDER",
            description = "Folder with the authors' traces, in xion and dally (default: generated workloads only).")
    private @Nullable Path data;

    @Mixin
    private ThreadOptions threads;

    @Option(names = "--report", paramLabel = "FILE.html", description = "Write everything as one HTML page.")
    private @Nullable String report;

    @Mixin
    private OutputOptions output;

    ReproduceCommand(Invocation invocation, Supplier<List<Reproduction>> reproductions) {
        super(invocation);
        this.reproductions = reproductions;
    }

    @Override
    public Integer call() {
        OutputFormat format = output.format();
        List<Long> seedList = UserError.wrapInvalid(() -> SeedList.parse(seeds));
        int threadCount = threads.count();
        List<Reproduction> chosen = chosen();
        if (data != null && !Files.isDirectory(data)) {
            throw UserError.invalid("--data (" + data + ") is no folder");
        }
        try (AtomicFile file = report == null ? null : AtomicFile.open(report)) {
            long begin = System.nanoTime();
            ReproductionRunner.ReproductionOutcome outcome = run(chosen, seedList, threadCount, format);
            print(outcome.chapters(), seedList, format);
            if (outcome.interrupted()) {
                throw UserError.interrupted("interrupted; " + outcome.chapters().size() + " of " + chosen.size()
                        + " papers were done" + (file == null ? "" : "; no report was written"));
            }
            if (outcome.failure() != null) {
                throw outcome.failure();
            }
            if (file != null) {
                write(outcome.chapters(), seedList, file);
            }
            if (!output.quiet) {
                PrintWriter err = err();
                err.println(HumanFormat.amount(chosen.size(), "paper") + " in "
                        + HumanFormat.time((System.nanoTime() - begin) / 1e9)
                        + (file == null ? "" : "; report: " + report));
            }
        }
        return ExitCode.OK;
    }

    private List<Reproduction> chosen() {
        List<Reproduction> known = reproductions.get();
        if (paper.equals(PaperNames.ALL)) {
            return known;
        }
        List<Reproduction> found =
                known.stream().filter(one -> one.paper().equals(paper)).toList();
        if (found.isEmpty()) {
            throw UserError.invalid(
                    "unknown paper '" + paper + "'." + Suggestion.didYouMean(paper, PaperNames.of(known)));
        }
        return found;
    }

    /** Text output shows each chapter when it is complete; machine-readable output comes at the end. */
    private ReproductionRunner.ReproductionOutcome run(
            List<Reproduction> chosen, List<Long> seedList, int threadCount, OutputFormat format) {
        ChapterText text = text(format);
        try (PaperProgress progress = PaperProgress.start(err(), invocation.screen(), output.quiet, chosen.size())) {
            return new ReproductionRunner(chosen, seedList, invocation.interruption(), data)
                    .run(threadCount, progress, chapter -> {
                        if (format.isHumanReadable()) {
                            progress.suspendWhile(() -> text.print(chapter));
                        }
                    });
        }
    }

    private ChapterText text(OutputFormat format) {
        return new ChapterText(format == OutputFormat.WIDE, invocation.screen(), out());
    }

    private void print(List<ReproductionReport> chapters, List<Long> seedList, OutputFormat format) {
        if (format.isHumanReadable()) {
            text(format).printEnd(chapters, seedList);
            return;
        }
        List<Finding> findings =
                chapters.stream().flatMap(c -> c.findings().stream()).toList();
        StructuredOutput.write(
                format,
                findings.stream()
                        .map(format == OutputFormat.CSV ? FindingFields::flat : FindingFields::of)
                        .toList(),
                out());
    }

    private void write(List<ReproductionReport> chapters, List<Long> seedList, AtomicFile file) {
        List<String> typed = spec.root().commandLine().getParseResult().originalArgs();
        ReportOrigin origin = ReportOrigin.of(typed, new Version().getVersion()[0], seedList);
        file.write(new ReproductionPage(chapters, origin).html());
    }
}
