package dev.fermata.bench.command;

import dev.fermata.bench.measure.OutputReadingSpeed;
import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OutputOptions;
import dev.fermata.core.text.Quantity;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.report.summary.RunFields;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.report.text.StructuredOutput;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code fermata bench output}: what reading progress from output takes. */
@Command(
        name = "output",
        description = "CPU time that reading the output of jobs for their progress takes, as a share of a core.",
        sortOptions = false,
        footer = {"", "Example:", "  fermata bench output --jobs 100 --lines 100"})
final class BenchOutputCommand extends FermataCommand {
    private static final int WARM_UP_SECONDS = 20;

    @Option(
            names = "--jobs",
            paramLabel = "N",
            defaultValue = "100",
            description = "Jobs that print (default: ${DEFAULT-VALUE}).")
    private String jobs;

    @Option(
            names = "--lines",
            paramLabel = "N",
            defaultValue = "100",
            description = "Lines that each prints in a second (default: ${DEFAULT-VALUE}).")
    private String lines;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "60",
            description = "Seconds of output (default: ${DEFAULT-VALUE}).")
    private String seconds;

    @Mixin
    private OutputOptions output;

    BenchOutputCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() {
        OutputFormat format = output.format();
        int printing = UserError.wrapInvalid(() -> (int) Quantity.integer("--jobs", jobs, 1, 10_000));
        int each = UserError.wrapInvalid(() -> (int) Quantity.integer("--lines", lines, 1, 100_000));
        int length = UserError.wrapInvalid(() -> (int) Quantity.integer("--seconds", seconds, 1, 3_600));
        OutputReadingSpeed.coreShare(printing, each, WARM_UP_SECONDS);
        double share = OutputReadingSpeed.coreShare(printing, each, length);
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("jobs", printing);
        row.put("linesPerSecond", each);
        row.put("corePercent", RunFields.rounded(100 * share, 3));
        if (format.isHumanReadable()) {
            out().println(printing + " jobs, " + each + " lines a second each: " + row.get("corePercent")
                    + " % of a core");
        } else {
            StructuredOutput.write(format, row, out());
        }
        return ExitCode.OK;
    }
}
