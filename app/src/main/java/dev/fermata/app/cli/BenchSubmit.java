package dev.fermata.app.cli;

import dev.fermata.app.bench.SubmitSpeed;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Format;
import dev.fermata.app.output.Structured;
import dev.fermata.app.output.Table;
import dev.fermata.app.report.RunFields;
import dev.fermata.core.text.Quantity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code fermata bench submit}: durable submissions over HTTP. */
@Command(
        name = "submit",
        description = "Durable submissions to a daemon of its own over HTTP: one by one, and in batches.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
        footer = {"", "Example:", "  fermata bench submit --jobs 5000"})
final class BenchSubmit implements Callable<Integer> {
    private static final int TOGETHER = 100;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--jobs",
            paramLabel = "N",
            defaultValue = "5000",
            description = "Jobs of each part (default: ${DEFAULT-VALUE}).")
    private String jobs;

    @Option(
            names = "--clients",
            paramLabel = "N",
            defaultValue = "16",
            description = "Clients at once (default: ${DEFAULT-VALUE}).")
    private String clients;

    @Option(
            names = "--store",
            paramLabel = "WHERE",
            defaultValue = "sqlite",
            description = "sqlite, or a database: postgresql://… (default: ${DEFAULT-VALUE}).")
    private String store;

    @Mixin
    private OutputOptions output;

    private final Surroundings surroundings;

    BenchSubmit(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Format format = output.format();
        int count = Complaint.ifInvalid(() -> (int) Quantity.whole("--jobs", jobs, TOGETHER, 1_000_000));
        int many = Complaint.ifInvalid(() -> (int) Quantity.whole("--clients", clients, 1, 1000));
        Path folder = Files.createTempDirectory("fermata-bench");
        List<Map<String, Object>> rows = new ArrayList<>();
        try (SubmitSpeed bench = new SubmitSpeed(folder, store)) {
            bench.measure(many, Math.max(TOGETHER, count / 5), 1); // so that the code is warm
            rows.add(row("one by one", many, bench.measure(many, count, 1)));
            rows.add(row(TOGETHER + " together", many, bench.measure(many, 10 * count, TOGETHER)));
        } finally {
            delete(folder);
        }
        print(rows, format);
        return ExitCode.FINE;
    }

    private static Map<String, Object> row(String way, int clients, SubmitSpeed.Result result) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("way", way);
        row.put("clients", clients);
        row.put("jobs", result.jobs());
        row.put("jobsPerSecond", RunFields.rounded(result.perSecond(), 0));
        row.put("p50Millis", RunFields.rounded(result.latencies().percentileMicros(50) / 1000, 1));
        row.put("p99Millis", RunFields.rounded(result.latencies().percentileMicros(99) / 1000, 1));
        return row;
    }

    private void print(List<Map<String, Object>> rows, Format format) {
        var out = spec.commandLine().getOut();
        if (!format.forPeople()) {
            Structured.write(format, rows, out);
            return;
        }
        Table table = new Table()
                .words("submitted")
                .numbers("clients", Table.ALWAYS)
                .numbers("jobs", Table.ALWAYS)
                .numbers("jobs/s", Table.ALWAYS)
                .numbers("p50 ms", Table.ALWAYS)
                .numbers("p99 ms", Table.ALWAYS);
        rows.forEach(row -> table.row(row.values().stream().map(String::valueOf).toArray(String[]::new)));
        table.render(surroundings.screen()).forEach(out::println);
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
