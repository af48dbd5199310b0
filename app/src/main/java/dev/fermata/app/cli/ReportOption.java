package dev.fermata.app.cli;

import dev.fermata.app.input.Traces;
import dev.fermata.app.output.WholeFile;
import dev.fermata.app.report.Comparison;
import dev.fermata.app.report.ReportFiles;
import dev.fermata.app.report.html.Origin;
import dev.fermata.app.report.html.Preface;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** A page about what was run, and its figures beside it. */
final class ReportOption {
    @Option(
            names = "--report",
            paramLabel = "FILE.html",
            description = {
                "Write pictures and tables as one HTML page; beside it the figures",
                "as FILE-….csv and the pictures as FILE-….png."
            })
    @Nullable
    String file;

    private final List<String> remarks = new ArrayList<>();

    /** What was read and what was left out belongs into the page as well. */
    void remark(Traces traces) {
        remarks.addAll(traces.words());
        remarks.addAll(traces.warnings());
    }

    boolean asked() {
        return file != null;
    }

    /** Opened before the run, so that a path that cannot be written is known in time. */
    @Nullable
    WholeFile open() {
        return file == null ? null : WholeFile.open(file);
    }

    /** What was said about a history. */
    void remark(List<String> said) {
        remarks.addAll(said);
    }

    void write(Comparison comparison, WholeFile page, CommandSpec spec) {
        write(comparison, Preface.NONE, page, spec);
    }

    void write(Comparison comparison, Preface preface, WholeFile page, CommandSpec spec) {
        Origin origin = origin(spec, comparison.seeds());
        new ReportFiles(comparison, String.valueOf(file), preface)
                .write(page, origin, remarks)
                .ifPresent(problem -> {
                    spec.commandLine().getErr().println("fermata: warning: " + problem);
                    spec.commandLine().getErr().flush();
                });
    }

    /** What a page says about itself. */
    static Origin origin(CommandSpec spec, List<Long> seeds) {
        return Origin.of(
                spec.root().commandLine().getParseResult().originalArgs(), new Version().getVersion()[0], seeds);
    }
}
