package dev.fermata.cli.option;

import dev.fermata.insight.file.AtomicFile;
import dev.fermata.insight.input.TraceCache;
import dev.fermata.report.comparison.Comparison;
import dev.fermata.report.html.ReportOrigin;
import dev.fermata.report.page.PageIntroduction;
import dev.fermata.report.page.ReportFiles;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** The flag {@code --report}: an HTML page about the runs, with its figures in files next to it. */
public final class ReportOption {
    @Option(
            names = "--report",
            paramLabel = "FILE.html",
            description = {
                "Write pictures and tables as one HTML page; next to it the figures",
                "as FILE-….csv and the pictures as FILE-….png."
            })
    @Nullable
    String file;

    private final List<String> remarks = new ArrayList<>();

    /** Repeats the remarks about reading traces in the page. */
    public void addRemarks(TraceCache traces) {
        remarks.addAll(traces.summaries());
        remarks.addAll(traces.warnings());
    }

    public boolean isRequested() {
        return file != null;
    }

    /** Opened before the run, so that a path that cannot be written is known in time. */
    @Nullable
    public AtomicFile open() {
        return file == null ? null : AtomicFile.open(file);
    }

    /** Repeats the remarks about reading a history in the page. */
    public void addRemarks(List<String> said) {
        remarks.addAll(said);
    }

    public void write(Comparison comparison, AtomicFile page, CommandSpec spec) {
        write(comparison, PageIntroduction.NONE, page, spec);
    }

    public void write(Comparison comparison, PageIntroduction introduction, AtomicFile page, CommandSpec spec) {
        ReportOrigin origin = origin(spec, comparison.seeds());
        new ReportFiles(comparison, String.valueOf(file), introduction)
                .write(page, origin, remarks)
                .ifPresent(problem -> {
                    spec.commandLine().getErr().println("fermata: warning: " + problem);
                    spec.commandLine().getErr().flush();
                });
    }

    /** What a page says about itself. */
    public static ReportOrigin origin(CommandSpec spec, List<Long> seeds) {
        return ReportOrigin.of(
                spec.root().commandLine().getParseResult().originalArgs(), new Version().getVersion()[0], seeds);
    }
}
