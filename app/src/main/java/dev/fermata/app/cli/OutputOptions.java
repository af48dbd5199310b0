package dev.fermata.app.cli;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.output.Format;
import java.util.ArrayList;
import picocli.CommandLine.Option;

/** How the answer is written, and how much is said beside it. */
public final class OutputOptions {
    /** For shell completion. */
    static final class Formats extends ArrayList<String> {
        private static final long serialVersionUID = 1;

        Formats() {
            super(Format.labels());
        }
    }

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "table",
            completionCandidates = Formats.class,
            description = "table, wide, json, csv or yaml (default: ${DEFAULT-VALUE}).")
    private String format;

    @Option(names = "--quiet", description = "No progress on stderr.")
    public boolean quiet;

    @Option(names = "--verbose", description = "Stack traces with errors.")
    public boolean verbose;

    /** Whether only ids are wanted, a line each; for the commands that have ids to show. */
    public boolean onlyIds() {
        return format.equals("id");
    }

    public Format format() {
        return Complaint.ifInvalid(() -> Format.parse(format));
    }
}
