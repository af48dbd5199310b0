package dev.fermata.app.cli;

import dev.fermata.app.bench.Latencies;
import dev.fermata.app.bench.StoreSpeed;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Format;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Structured;
import dev.fermata.app.output.Table;
import dev.fermata.app.report.RunFields;
import dev.fermata.core.text.Quantity;
import dev.fermata.live.store.StoreException;
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
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code fermata bench store}: speed of the daemon's history. */
@Command(
        name = "store",
        description = {
            "Speed of the daemon's store: durable appends, recovery and pages with a long history.",
            "SQLite in a folder of its own, and PostgreSQL where an empty database is given."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
        footer = {
            "",
            "Examples:",
            "  fermata bench store --quick",
            "  createdb bench && fermata bench store --store postgresql://me@localhost/bench"
        })
final class BenchStore implements Callable<Integer> {
    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

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

    BenchStore(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        Format format = output.format();
        String asked = jobs;
        int history = asked == null
                ? (quick ? 5_000 : 100_000)
                : (int) Complaint.ifInvalid(() -> Quantity.whole("--jobs", asked, 500, 10_000_000))
                        .longValue();
        StoreSpeed.Amount amount = new StoreSpeed.Amount(quick ? 200 : 2000, quick ? 10 : 50, history);
        List<StoreSpeed.Result> results = new ArrayList<>();
        inScratch(scratch -> results.add(measure("sqlite", scratch, amount)));
        String second = store;
        if (second != null && !surroundings.interruption().asked()) {
            inScratch(scratch -> results.add(measure(second, scratch, amount)));
        }
        if (surroundings.interruption().asked()) {
            throw Complaint.interrupted("interrupted");
        }
        print(results, format);
        return ExitCode.FINE;
    }

    /** Work in a folder that is gone afterwards. */
    @FunctionalInterface
    private interface Scratch {
        void use(Path folder);
    }

    private void inScratch(Scratch work) {
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
            throw Complaint.failed("cannot write in the folder for the store: " + e.getMessage(), e);
        }
    }

    private StoreSpeed.Result measure(String where, Path scratch, StoreSpeed.Amount amount) {
        try {
            return new StoreSpeed(
                            where, scratch, () -> surroundings.interruption().asked())
                    .measure(amount, this::say);
        } catch (StoreException e) {
            throw Complaint.failed(String.valueOf(e.getMessage()), e);
        } catch (IllegalArgumentException e) {
            throw Complaint.invalid(String.valueOf(e.getMessage()));
        }
    }

    private void say(String line) {
        if (!output.quiet) {
            spec.commandLine().getErr().println(line);
            spec.commandLine().getErr().flush();
        }
    }

    private void print(List<StoreSpeed.Result> results, Format format) {
        PrintWriter out = spec.commandLine().getOut();
        if (!format.forPeople()) {
            Structured.write(format, results.stream().map(BenchStore::fields).toList(), out);
            return;
        }
        Table table = new Table().words("");
        results.forEach(result -> table.numbers(result.store().replaceFirst(":.*", ""), Table.ALWAYS));
        for (String name : fields(results.get(0)).keySet()) {
            if (!name.equals("store")) {
                List<String> row = new ArrayList<>(List.of(WORDS.getOrDefault(name, name)));
                results.forEach(result -> row.add(shown(fields(result).get(name))));
                table.row(row.toArray(String[]::new));
            }
        }
        table.render(surroundings.screen()).forEach(out::println);
        out.println();
        out.println(
                "Durable: on the disk before the next is begun. Pages have 100 jobs, the median of 30 readings is shown.");
        out.println(
                "User: one who has one job in a thousand. Unused queue: every job is looked at. Milliseconds but where said.");
        out.flush();
    }

    private static final Map<String, String> WORDS = Map.ofEntries(
            Map.entry("singleAppendsPerSecond", "durable appends of one job, per s"),
            Map.entry("singleP50Millis", "one append, median"),
            Map.entry("singleP99Millis", "one append, 99 of 100"),
            Map.entry("batchedJobsPerSecond", "jobs in batches of 100, per s"),
            Map.entry("linesPerSecond", "lines in batches of 1,000, per s"),
            Map.entry("historyJobs", "jobs in the history then"),
            Map.entry("historyLines", "lines in the history then"),
            Map.entry("recoverySeconds", "open and recover, s"),
            Map.entry("firstPageMillis", "newest jobs"),
            Map.entry("livePageMillis", "live jobs"),
            Map.entry("userPageMillis", "jobs of a user"),
            Map.entry("queuePageMillis", "jobs of an unused queue"),
            Map.entry("jobHistoryMillis", "lines of one job"));

    private static String shown(@Nullable Object value) {
        double number = value instanceof Number known ? known.doubleValue() : 0;
        return number >= 1000 ? Humane.count(number) : Humane.number(number);
    }

    private static Map<String, Object> fields(StoreSpeed.Result result) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("store", result.store());
        fields.put("singleAppendsPerSecond", RunFields.rounded(result.singlesPerSecond(), 0));
        fields.put("singleP50Millis", millis(result.singles(), 50));
        fields.put("singleP99Millis", millis(result.singles(), 99));
        fields.put("batchedJobsPerSecond", RunFields.rounded(result.jobsPerSecond(), 0));
        fields.put("linesPerSecond", RunFields.rounded(result.linesPerSecond(), 0));
        fields.put("historyJobs", result.historyJobs());
        fields.put("historyLines", result.historyLines());
        fields.put("recoverySeconds", RunFields.rounded(result.recoverySeconds(), 3));
        fields.put("firstPageMillis", millis(result.firstPage(), 50));
        fields.put("livePageMillis", millis(result.livePage(), 50));
        fields.put("userPageMillis", millis(result.userPage(), 50));
        fields.put("queuePageMillis", millis(result.queuePage(), 50));
        fields.put("jobHistoryMillis", millis(result.jobHistory(), 50));
        return fields;
    }

    private static Object millis(Latencies sample, int percent) {
        return RunFields.rounded(sample.percentileMicros(percent) / 1000, 3);
    }
}
