package dev.fermata.bench.command;

import dev.fermata.bench.measure.TraceReadSpeed;
import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OutputOptions;
import dev.fermata.core.text.Quantity;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.format.HumanFormat;
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
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code fermata bench read}: records of traces per second. */
@Command(
        name = "read",
        description = "Records per second that one thread reads from traces made up for it.",
        sortOptions = false,
        footer = {"", "Example:", "  fermata bench read --records 1000000"})
final class BenchReadCommand extends FermataCommand {
    private static final int REPETITIONS = 7;

    @Option(names = "--quick", description = "20,000 records.")
    private boolean quick;

    @Option(names = "--records", paramLabel = "N", description = "Records in each file (default: 500000).")
    private @Nullable String records;

    @Mixin
    private OutputOptions output;

    BenchReadCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() {
        OutputFormat format = output.format();
        String requested = records;
        int count = requested == null
                ? (quick ? 20_000 : 500_000)
                : (int) UserError.wrapInvalid(() -> Quantity.integer("--records", requested, 1, 20_000_000))
                        .longValue();
        List<TraceReadSpeed.ReadResult> results = measure(count);
        print(results, format);
        if (invocation.interruption().isRequested()) {
            throw UserError.interrupted("interrupted");
        }
        return ExitCode.OK;
    }

    private List<TraceReadSpeed.ReadResult> measure(int count) {
        List<TraceReadSpeed.ReadResult> results = new ArrayList<>();
        try {
            Path folder = Files.createTempDirectory("fermata-read");
            try {
                for (TraceReadSpeed.TraceTemplate variant : TraceReadSpeed.templates()) {
                    if (invocation.interruption().isRequested()) {
                        break;
                    }
                    if (!output.quiet) {
                        err().println(variant.label() + " …");
                        err().flush();
                    }
                    results.add(TraceReadSpeed.measure(
                            variant,
                            count,
                            REPETITIONS,
                            folder,
                            () -> invocation.interruption().isRequested()));
                }
            } finally {
                Files.deleteIfExists(folder);
            }
        } catch (IOException e) {
            throw UserError.failed(
                    "cannot write or read a trace in the folder for temporary files: " + e.getMessage(), e);
        }
        return results;
    }

    private void print(List<TraceReadSpeed.ReadResult> results, OutputFormat format) {
        PrintWriter out = out();
        if (!format.isHumanReadable()) {
            StructuredOutput.write(
                    format, results.stream().map(BenchReadCommand::fields).toList(), out);
            return;
        }
        TextTable table = new TextTable()
                .textColumn("format")
                .numberColumn("records", 2)
                .numberColumn("MiB", 1)
                .numberColumn("records\nper s", TextTable.ALWAYS)
                .numberColumn("per s\nof CPU", 3)
                .numberColumn("with jobs made,\nper s", TextTable.ALWAYS);
        for (TraceReadSpeed.ReadResult result : results) {
            table.row(
                    result.label(),
                    HumanFormat.count(result.records()),
                    HumanFormat.number(result.mebibytes()),
                    HumanFormat.count(result.recordsPerSecond()),
                    HumanFormat.count(result.recordsPerCpuSecond()),
                    HumanFormat.count(result.withJobsPerSecond()));
        }
        table.render(invocation.screen()).forEach(out::println);
        out.println();
        out.println("Best of " + REPETITIONS
                + " readings of each file by one thread. Of CPU: by the thread's own CPU time, whatever");
        out.println("else runs on the machine. Jobs made: with demands, profiles and costs, in order.");
        out.flush();
    }

    private static Map<String, Object> fields(TraceReadSpeed.ReadResult result) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("format", result.label());
        fields.put("records", result.records());
        fields.put("mebibytes", RunFields.rounded(result.mebibytes(), 1));
        fields.put("recordsPerSecond", RunFields.rounded(result.recordsPerSecond(), 0));
        fields.put("recordsPerCpuSecond", RunFields.rounded(result.recordsPerCpuSecond(), 0));
        fields.put("withJobsPerSecond", RunFields.rounded(result.withJobsPerSecond(), 0));
        return fields;
    }
}
