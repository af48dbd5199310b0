package dev.fermata.app.cli;

import dev.fermata.app.bench.ReadSpeed;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Format;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Structured;
import dev.fermata.app.output.Table;
import dev.fermata.app.report.RunFields;
import dev.fermata.core.text.Quantity;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code fermata bench read}: records of traces per second. */
@Command(
        name = "read",
        description = "Records per second that one thread reads from traces made up for it.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
        footer = {"", "Example:", "  fermata bench read --records 1000000"})
final class BenchRead implements Callable<Integer> {
    private static final int REPETITIONS = 7;

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Option(names = "--quick", description = "20,000 records.")
    private boolean quick;

    @Option(names = "--records", paramLabel = "N", description = "Records in each file (default: 500000).")
    private @Nullable String records;

    @Mixin
    private OutputOptions output;

    BenchRead(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        Format format = output.format();
        String asked = records;
        int count = asked == null
                ? (quick ? 20_000 : 500_000)
                : (int) Complaint.ifInvalid(() -> Quantity.whole("--records", asked, 1, 20_000_000))
                        .longValue();
        List<ReadSpeed.Result> results = measure(count);
        print(results, format);
        if (surroundings.interruption().asked()) {
            throw Complaint.interrupted("interrupted");
        }
        return ExitCode.FINE;
    }

    private List<ReadSpeed.Result> measure(int count) {
        List<ReadSpeed.Result> results = new ArrayList<>();
        try {
            Path folder = Files.createTempDirectory("fermata-read");
            try {
                for (ReadSpeed.Kind kind : ReadSpeed.kinds()) {
                    if (surroundings.interruption().asked()) {
                        break;
                    }
                    if (!output.quiet) {
                        spec.commandLine().getErr().println(kind.label() + " …");
                        spec.commandLine().getErr().flush();
                    }
                    results.add(ReadSpeed.measure(
                            kind,
                            count,
                            REPETITIONS,
                            folder,
                            () -> surroundings.interruption().asked()));
                }
            } finally {
                Files.deleteIfExists(folder);
            }
        } catch (IOException e) {
            throw Complaint.failed(
                    "cannot write or read a trace in the folder for temporary files: " + e.getMessage(), e);
        }
        return results;
    }

    private void print(List<ReadSpeed.Result> results, Format format) {
        PrintWriter out = spec.commandLine().getOut();
        if (!format.forPeople()) {
            Structured.write(format, results.stream().map(BenchRead::fields).toList(), out);
            return;
        }
        Table table = new Table()
                .words("format")
                .numbers("records", 2)
                .numbers("MiB", 1)
                .numbers("records\nper s", Table.ALWAYS)
                .numbers("per s\nof CPU", 3)
                .numbers("with jobs made,\nper s", Table.ALWAYS);
        for (ReadSpeed.Result result : results) {
            table.row(
                    result.label(),
                    Humane.count(result.records()),
                    Humane.number(result.mebibytes()),
                    Humane.count(result.recordsPerSecond()),
                    Humane.count(result.recordsPerCpuSecond()),
                    Humane.count(result.withJobsPerSecond()));
        }
        table.render(surroundings.screen()).forEach(out::println);
        out.println();
        out.println("Best of " + REPETITIONS
                + " readings of each file by one thread. Of CPU: by the time the thread itself ran,");
        out.println("whoever else is on the machine. Jobs made: with demands, profiles and costs, in order.");
        out.flush();
    }

    private static Map<String, Object> fields(ReadSpeed.Result result) {
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
