package dev.fermata.cli.option;

import dev.fermata.insight.exit.UserError;
import dev.fermata.report.text.OutputFormat;
import java.util.ArrayList;
import picocli.CommandLine.Option;

/** The format of the output, and the amount of progress messages. */
public final class OutputOptions {
    /** For shell completion. */
    static final class FormatNames extends ArrayList<String> {
        private static final long serialVersionUID = 1;

        FormatNames() {
            super(OutputFormat.labels());
        }
    }

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "table",
            completionCandidates = FormatNames.class,
            description = "table, wide, json, csv or yaml (default: ${DEFAULT-VALUE}).")
    private String format;

    @Option(names = "--quiet", description = "No progress on stderr.")
    public boolean quiet;

    @Option(names = "--verbose", description = "Stack traces with errors.")
    public boolean verbose;

    /** Whether only ids are requested, a line each; for the commands that have ids to show. */
    public boolean onlyIds() {
        return format.equals("id");
    }

    public OutputFormat format() {
        return UserError.wrapInvalid(() -> OutputFormat.parse(format));
    }
}
