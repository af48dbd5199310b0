package dev.fermata.app.cli;

import dev.fermata.app.bench.Latencies;
import dev.fermata.app.bench.PlacementLatency;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Format;
import dev.fermata.app.output.Structured;
import dev.fermata.app.output.Table;
import dev.fermata.app.report.RunFields;
import dev.fermata.core.policy.market.Clearing;
import dev.fermata.core.policy.market.SampledMarket;
import dev.fermata.core.text.Quantity;
import java.io.PrintWriter;
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

/** {@code fermata bench place}: latency of placing several jobs together. */
@Command(
        name = "place",
        description = "Latency of dividing workers of three types among several jobs by a market (JPS).",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
        footer = {"", "Example:", "  fermata bench place --sizes 4x16,10x64"})
final class BenchPlace implements Callable<Integer> {
    private record Size(int jobs, int workers) {}

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Option(names = "--quick", description = "Fewer placements.")
    private boolean quick;

    @Option(
            names = "--sizes",
            paramLabel = "LIST",
            defaultValue = "2x8,4x16,6x24,10x64,20x128",
            description = "JOBSxWORKERS joined by commas (default: ${DEFAULT-VALUE}).")
    private String sizes;

    @Option(names = "--samples", paramLabel = "N", description = "Categories looked at (default: as policy jps).")
    private @Nullable String samples;

    @Option(names = "--count", paramLabel = "N", description = "Placements to time for each size (default: 2000).")
    private @Nullable String count;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Seed (default: ${DEFAULT-VALUE}).")
    private String seed;

    @Mixin
    private OutputOptions output;

    BenchPlace(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        Format format = output.format();
        long seedNumber = Complaint.ifInvalid(() -> Quantity.whole("--seed", seed, Long.MIN_VALUE, Long.MAX_VALUE));
        int timed = Complaint.ifInvalid(() -> whole("--count", count, quick ? 200 : 2000, 1_000_000));
        int drawn =
                Complaint.ifInvalid(() -> whole("--samples", samples, SampledMarket.Knobs.DEFAULT.samples(), 10_000));
        List<Size> wanted = Complaint.ifInvalid(this::wanted);
        List<Map<String, Object>> rows = new ArrayList<>();
        for (Size size : wanted) {
            for (Clearing.Way way : Clearing.Way.values()) {
                if (!surroundings.interruption().asked()) {
                    SampledMarket.Knobs knobs =
                            SampledMarket.Knobs.DEFAULT.withSamples(drawn).withWay(way);
                    rows.add(measure(size, knobs, timed, seedNumber));
                }
            }
        }
        print(rows, format);
        if (surroundings.interruption().asked()) {
            throw Complaint.interrupted("interrupted");
        }
        return ExitCode.FINE;
    }

    private static int whole(String flag, @Nullable String text, int otherwise, int most) {
        return text == null ? otherwise : (int) Quantity.whole(flag, text, 1, most);
    }

    private List<Size> wanted() {
        List<Size> found = new ArrayList<>();
        for (String part : sizes.split(",", -1)) {
            String[] pair = part.split("x", -1);
            if (pair.length != 2) {
                throw new IllegalArgumentException("--sizes: '" + part + "' must be JOBSxWORKERS, such as 10x64");
            }
            int workers = (int) Quantity.whole("workers in --sizes", pair[1], 1, 4096);
            found.add(new Size((int) Quantity.whole("jobs in --sizes", pair[0], 1, workers), workers));
        }
        return found;
    }

    private Map<String, Object> measure(Size size, SampledMarket.Knobs knobs, int timed, long seedNumber) {
        if (!output.quiet) {
            spec.commandLine()
                    .getErr()
                    .println(size.jobs + " jobs, " + size.workers + " workers, "
                            + knobs.way().label() + " …");
        }
        PlacementLatency bench = new PlacementLatency(size.jobs, size.workers, knobs, seedNumber);
        double first = bench.firstMillis();
        Latencies sample =
                bench.measure(timed, () -> surroundings.interruption().asked());
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("jobs", size.jobs);
        row.put("workers", size.workers);
        row.put("market", knobs.way().label());
        row.put("samples", knobs.samples());
        row.put("placements", sample.count());
        row.put("firstMillis", RunFields.rounded(first, 3));
        row.put("p50Millis", RunFields.rounded(sample.percentileMicros(50) / 1000, 3));
        row.put("p99Millis", RunFields.rounded(sample.percentileMicros(99) / 1000, 3));
        row.put("maxMillis", RunFields.rounded(sample.percentileMicros(100) / 1000, 3));
        return row;
    }

    private void print(List<Map<String, Object>> rows, Format format) {
        PrintWriter out = spec.commandLine().getOut();
        if (!format.forPeople()) {
            Structured.write(format, rows, out);
            return;
        }
        Table table = new Table()
                .numbers("jobs", Table.ALWAYS)
                .numbers("workers", Table.ALWAYS)
                .words("market")
                .numbers("samples", 2)
                .numbers("placements", 1)
                .numbers("first ms", 3)
                .numbers("p50 ms", Table.ALWAYS)
                .numbers("p99 ms", Table.ALWAYS)
                .numbers("max ms", 4);
        for (Map<String, Object> row : rows) {
            table.row(row.values().stream().map(String::valueOf).toArray(String[]::new));
        }
        table.render(surroundings.screen()).forEach(out::println);
        out.println();
        out.println("First: one placement before any warm-up of this size; that of the first line is cold.");
    }
}
