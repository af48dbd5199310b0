package dev.fermata.bench.command;

import dev.fermata.bench.measure.LatencySample;
import dev.fermata.bench.measure.StoreSpeed;
import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OutputOptions;
import dev.fermata.core.text.Quantity;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.live.store.StoreException;
import dev.fermata.report.summary.RunFields;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.report.text.StructuredOutput;
import dev.fermata.report.text.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code fermata bench store}: speed of the daemon's history. */
@Command(
        name = "store",
        description = {
            "Speed of the daemon's store: durable appends, recovery and pages with a long history.",
            "SQLite in a folder of its own, and PostgreSQL where an empty database is given."
        },
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  fermata bench store --quick",
            "  createdb bench && fermata bench store --store postgresql://me@localhost/bench"
        })
final class BenchStoreCommand extends FermataCommand {
    @Option(names = "--quick", description = "A history of 5,000 jobs.")
    private boolean quick;

    @Option(names = "--jobs", paramLabel = "N", description = "Ended jobs in the history (default: 100000).")
    private @Nullable String jobs;

    @Option(
            names = "--store",
            paramLabel = "URL",
            description = "An empty PostgreSQL database to measure too. It is written to, and left as it is then.")
    private @Nullable String store;

    @Option(
            names = "--folder",
            paramLabel = "DIR",
            description = "Disk for SQLite (default: the folder for temporary files).")
    private @Nullable Path folder;

    @Mixin
    private OutputOptions output;

    BenchStoreCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() {
        OutputFormat format = output.format();
        String requested = jobs;
        int history = requested == null
                ? (quick ? 5_000 : 100_000)
                : (int) UserError.wrapInvalid(() -> Quantity.integer("--jobs", requested, 500, 10_000_000))
                        .longValue();
        StoreSpeed.WriteAmounts amount = new StoreSpeed.WriteAmounts(quick ? 200 : 2000, quick ? 10 : 50, history);
        List<StoreSpeed.StoreTiming> results = new ArrayList<>();
        inScratch(scratch -> results.add(measure("sqlite", scratch, amount)));
        String second = store;
        if (second != null && !invocation.interruption().isRequested()) {
            inScratch(scratch -> results.add(measure(second, scratch, amount)));
        }
        if (invocation.interruption().isRequested()) {
            throw UserError.interrupted("interrupted");
        }
        print(results, format);
        return ExitCode.OK;
    }

    /** Work in a folder that is deleted afterwards. */
    @FunctionalInterface
    private interface FolderWork {
        void use(Path folder);
    }

    private void inScratch(FolderWork work) {
        try {
            Path above = folder;
            Path made = above == null
                    ? Files.createTempDirectory("fermata-store")
                    : Files.createTempDirectory(above, "fermata-store");
            try {
                work.use(made);
            } finally {
                try (var found = Files.walk(made)) {
                    for (Path path : found.sorted(Comparator.reverseOrder()).toList()) {
                        Files.deleteIfExists(path);
                    }
                }
            }
        } catch (IOException | UncheckedIOException e) {
            throw UserError.failed("cannot write in the folder for the store: " + e.getMessage(), e);
        }
    }

    private StoreSpeed.StoreTiming measure(String where, Path scratch, StoreSpeed.WriteAmounts amount) {
        try {
            return new StoreSpeed(
                            where, scratch, () -> invocation.interruption().isRequested())
                    .measure(amount, this::printProgress);
        } catch (StoreException e) {
            throw UserError.failed(String.valueOf(e.getMessage()), e);
        } catch (IllegalArgumentException e) {
            throw UserError.invalid(String.valueOf(e.getMessage()));
        }
    }

    private void printProgress(String line) {
        if (!output.quiet) {
            err().println(line);
            err().flush();
        }
    }

    private void print(List<StoreSpeed.StoreTiming> results, OutputFormat format) {
        PrintWriter out = out();
        if (!format.isHumanReadable()) {
            StructuredOutput.write(
                    format, results.stream().map(BenchStoreCommand::fields).toList(), out);
            return;
        }
        TextTable table = new TextTable().textColumn("");
        results.forEach(result -> table.numberColumn(result.store().replaceFirst(":.*", ""), TextTable.ALWAYS));
        for (String name : fields(results.get(0)).keySet()) {
            if (!name.equals("store")) {
                List<String> row = new ArrayList<>(List.of(WORDS.getOrDefault(name, name)));
                results.forEach(result -> row.add(format(fields(result).get(name))));
                table.row(row.toArray(String[]::new));
            }
        }
        table.render(invocation.screen()).forEach(out::println);
        out.println();
        out.println(
                "Durable: on the disk before the next is begun. Pages have 100 jobs, the median of 30 readings is shown.");
        out.println(
                "User: owner of one job in a thousand. Unused queue: every job is read. Milliseconds unless stated.");
        out.flush();
    }

    private static final Map<String, String> WORDS = Map.ofEntries(
            Map.entry("singleAppendsPerSecond", "durable appends of one job, per s"),
            Map.entry("singleP50Millis", "one append, median"),
            Map.entry("singleP99Millis", "one append, 99 of 100"),
            Map.entry("batchedJobsPerSecond", "jobs in batches of 100, per s"),
            Map.entry("linesPerSecond", "entries in batches of 1,000, per s"),
            Map.entry("historyJobs", "jobs in the history then"),
            Map.entry("historyLines", "entries in the history then"),
            Map.entry("recoverySeconds", "open and recover, s"),
            Map.entry("firstPageMillis", "newest jobs"),
            Map.entry("livePageMillis", "live jobs"),
            Map.entry("userPageMillis", "jobs of a user"),
            Map.entry("queuePageMillis", "jobs of an unused queue"),
            Map.entry("jobHistoryMillis", "entries of one job"));

    private static String format(@Nullable Object value) {
        double number = value instanceof Number known ? known.doubleValue() : 0;
        return number >= 1000 ? HumanFormat.count(number) : HumanFormat.number(number);
    }

    private static Map<String, Object> fields(StoreSpeed.StoreTiming result) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("store", result.store());
        fields.put("singleAppendsPerSecond", RunFields.rounded(result.singlesPerSecond(), 0));
        fields.put("singleP50Millis", millis(result.singles(), 50));
        fields.put("singleP99Millis", millis(result.singles(), 99));
        fields.put("batchedJobsPerSecond", RunFields.rounded(result.jobsPerSecond(), 0));
        fields.put("linesPerSecond", RunFields.rounded(result.entriesPerSecond(), 0));
        fields.put("historyJobs", result.historyJobs());
        fields.put("historyLines", result.historyEntries());
        fields.put("recoverySeconds", RunFields.rounded(result.recoverySeconds(), 3));
        fields.put("firstPageMillis", millis(result.firstPage(), 50));
        fields.put("livePageMillis", millis(result.livePage(), 50));
        fields.put("userPageMillis", millis(result.userPage(), 50));
        fields.put("queuePageMillis", millis(result.queuePage(), 50));
        fields.put("jobHistoryMillis", millis(result.jobHistory(), 50));
        return fields;
    }

    private static Object millis(LatencySample sample, int percent) {
        return RunFields.rounded(sample.percentileMicros(percent) / 1000, 3);
    }
}
