package dev.fermata.app.cli;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.input.SeedList;
import dev.fermata.app.output.Format;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.PaperProgress;
import dev.fermata.app.output.Structured;
import dev.fermata.app.output.WholeFile;
import dev.fermata.app.report.ChapterText;
import dev.fermata.app.report.FindingFields;
import dev.fermata.app.report.html.Origin;
import dev.fermata.app.report.html.ReproductionPage;
import dev.fermata.app.run.Reproducing;
import dev.fermata.core.policy.Suggest;
import dev.fermata.sim.reproduce.Chapter;
import dev.fermata.sim.reproduce.Finding;
import dev.fermata.sim.reproduce.Reproduction;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code fermata reproduce}: the papers' own experiments, what they claim beside what comes out here. */
@Command(
        name = "reproduce",
        description = "Repeat a paper's experiment and put its claims beside what comes out here.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
        footer = {
            "",
            "Examples:",
            "  fermata reproduce all --report papers.html",
            "  fermata reproduce xion --seeds 1..10",
            "  fermata reproduce fitgpp -o json"
        })
final class Reproduce implements Callable<Integer> {
    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

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

    @Mixin
    private ThreadOptions threads;

    @Option(names = "--report", paramLabel = "FILE.html", description = "Write everything as one HTML page.")
    private @Nullable String report;

    @Mixin
    private OutputOptions output;

    Reproduce(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        Format format = output.format();
        List<Long> seedList = Complaint.ifInvalid(() -> SeedList.parse(seeds));
        int threadCount = threads.count();
        List<Reproduction> chosen = chosen();
        try (WholeFile file = report == null ? null : WholeFile.open(report)) {
            long begin = System.nanoTime();
            Reproducing.Outcome outcome = run(chosen, seedList, threadCount, format);
            print(outcome.chapters(), seedList, format);
            if (outcome.interrupted()) {
                throw Complaint.interrupted("interrupted; " + outcome.chapters().size() + " of " + chosen.size()
                        + " papers were done" + (file == null ? "" : "; no report was written"));
            }
            if (outcome.broke() != null) {
                throw outcome.broke();
            }
            if (file != null) {
                write(outcome.chapters(), seedList, file);
            }
            if (!output.quiet) {
                PrintWriter err = spec.commandLine().getErr();
                err.println(Humane.amount(chosen.size(), "paper") + " in "
                        + Humane.time((System.nanoTime() - begin) / 1e9)
                        + (file == null ? "" : "; report: " + report));
            }
        }
        return ExitCode.FINE;
    }

    private List<Reproduction> chosen() {
        List<Reproduction> known = surroundings.reproductions().get();
        if (paper.equals(PaperNames.ALL)) {
            return known;
        }
        List<Reproduction> found =
                known.stream().filter(one -> one.paper().equals(paper)).toList();
        if (found.isEmpty()) {
            throw Complaint.invalid("unknown paper '" + paper + "'." + Suggest.among(paper, PaperNames.of(known)));
        }
        return found;
    }

    /** People see each chapter when it is complete; programs get all of them in one piece at the end. */
    private Reproducing.Outcome run(List<Reproduction> chosen, List<Long> seedList, int threadCount, Format format) {
        ChapterText text = text(format);
        try (PaperProgress progress =
                PaperProgress.start(spec.commandLine().getErr(), surroundings.screen(), output.quiet, chosen.size())) {
            return new Reproducing(chosen, seedList, surroundings.interruption())
                    .run(threadCount, progress, chapter -> {
                        if (format.forPeople()) {
                            progress.aside(() -> text.print(chapter));
                        }
                    });
        }
    }

    private ChapterText text(Format format) {
        return new ChapterText(
                format == Format.WIDE, surroundings.screen(), spec.commandLine().getOut());
    }

    private void print(List<Chapter> chapters, List<Long> seedList, Format format) {
        if (format.forPeople()) {
            text(format).printEnd(chapters, seedList);
            return;
        }
        List<Finding> findings =
                chapters.stream().flatMap(c -> c.findings().stream()).toList();
        Structured.write(
                format,
                findings.stream()
                        .map(format == Format.CSV ? FindingFields::flat : FindingFields::of)
                        .toList(),
                spec.commandLine().getOut());
    }

    private void write(List<Chapter> chapters, List<Long> seedList, WholeFile file) {
        List<String> typed = spec.root().commandLine().getParseResult().originalArgs();
        Origin origin = Origin.of(typed, new Version().getVersion()[0], seedList);
        file.write(new ReproductionPage(chapters, origin).html());
    }
}
