package dev.fermata.bench.command;

import dev.fermata.bench.measure.DaemonSpeed;
import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OutputOptions;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.summary.RunFields;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.report.text.Screen;
import dev.fermata.report.text.StructuredOutput;
import dev.fermata.report.text.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code fermata bench daemon}: the latencies that users of a daemon see. */
@Command(
        name = "daemon",
        description =
                "Submits per second, start of a job, restart, lists, idle CPU and memory of a daemon made up for it.",
        sortOptions = false,
        footer = {"", "Example:", "  fermata bench daemon --quick"})
final class BenchDaemonCommand extends FermataCommand {
    @Option(names = "--quick", description = "A tenth of everything and less.")
    private boolean quick;

    @Mixin
    private OutputOptions output;

    BenchDaemonCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() throws InterruptedException {
        OutputFormat format = output.format();
        List<DaemonSpeed.Measurement> figures;
        try {
            Path folder = Files.createTempDirectory("fermata-daemon");
            try {
                figures = DaemonSpeed.measure(
                        folder,
                        quick ? DaemonSpeed.BenchmarkSize.QUICK : DaemonSpeed.BenchmarkSize.FULL,
                        () -> invocation.interruption().isRequested(),
                        this::printProgress);
            } finally {
                remove(folder);
            }
        } catch (IOException e) {
            throw UserError.failed(String.valueOf(e.getMessage()), e);
        }
        print(figures, format, out(), invocation.screen());
        if (invocation.interruption().isRequested()) {
            throw UserError.interrupted("interrupted");
        }
        return ExitCode.OK;
    }

    private void printProgress(String what) {
        if (!output.quiet) {
            err().println(what + " …");
            err().flush();
        }
    }

    static void remove(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            all.sorted(Comparator.reverseOrder()).forEach(path -> {
                try {
                    Files.deleteIfExists(path);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }

    static void print(List<DaemonSpeed.Measurement> figures, OutputFormat format, PrintWriter out, Screen screen) {
        if (!format.isHumanReadable()) {
            StructuredOutput.write(
                    format, figures.stream().map(BenchDaemonCommand::fields).toList(), out);
            return;
        }
        TextTable table = new TextTable()
                .textColumn("what")
                .numberColumn("measured", TextTable.ALWAYS)
                .textColumn("unit")
                .textColumn("aim");
        for (DaemonSpeed.Measurement figure : figures) {
            table.row(
                    figure.name(),
                    HumanFormat.number(figure.value()),
                    figure.unit(),
                    (figure.upperBound() ? "at most " : "at least ")
                            + HumanFormat.number(figure.target())
                            + (figure.isMet() ? "" : ", missed"));
        }
        table.render(screen).forEach(out::println);
        out.flush();
    }

    private static Map<String, Object> fields(DaemonSpeed.Measurement figure) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("what", figure.name());
        fields.put("value", RunFields.rounded(figure.value(), 3));
        fields.put("unit", figure.unit());
        fields.put("aim", figure.target());
        fields.put("met", figure.isMet());
        return fields;
    }
}
