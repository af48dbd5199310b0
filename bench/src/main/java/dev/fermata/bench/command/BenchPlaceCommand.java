package dev.fermata.bench.command;

import dev.fermata.bench.measure.LatencySample;
import dev.fermata.bench.measure.PlacementLatency;
import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OutputOptions;
import dev.fermata.core.policy.market.Clearing;
import dev.fermata.core.policy.market.SampledMarket;
import dev.fermata.core.text.Quantity;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.report.summary.RunFields;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.report.text.StructuredOutput;
import dev.fermata.report.text.TextTable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code fermata bench place}: latency of placing several jobs together. */
@Command(
        name = "place",
        description = "Latency of dividing workers of three types among several jobs by a market (JPS).",
        sortOptions = false,
        footer = {"", "Example:", "  fermata bench place --sizes 4x16,10x64"})
final class BenchPlaceCommand extends FermataCommand {
    private record PlacementSize(int jobs, int workers) {}

    @Option(names = "--quick", description = "Fewer placements.")
    private boolean quick;

    @Option(
            names = "--sizes",
            paramLabel = "LIST",
            defaultValue = "2x8,4x16,6x24,10x64,20x128",
            description = "JOBSxWORKERS joined by commas (default: ${DEFAULT-VALUE}).")
    private String sizes;

    @Option(names = "--samples", paramLabel = "N", description = "Categories considered (default: as policy jps).")
    private @Nullable String samples;

    @Option(names = "--count", paramLabel = "N", description = "Placements to time for each size (default: 2000).")
    private @Nullable String count;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1", description = "Seed (default: ${DEFAULT-VALUE}).")
    private String seed;

    @Mixin
    private OutputOptions output;

    BenchPlaceCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() {
        OutputFormat format = output.format();
        long seedNumber = UserError.wrapInvalid(() -> Quantity.integer("--seed", seed, Long.MIN_VALUE, Long.MAX_VALUE));
        int timed = UserError.wrapInvalid(() -> integer("--count", count, quick ? 200 : 2000, 1_000_000));
        int drawn = UserError.wrapInvalid(
                () -> integer("--samples", samples, SampledMarket.SamplingOptions.DEFAULT.samples(), 10_000));
        List<PlacementSize> wanted = UserError.wrapInvalid(this::sizes);
        List<Map<String, Object>> rows = new ArrayList<>();
        for (PlacementSize size : wanted) {
            for (Clearing.ClearingMethod way : Clearing.ClearingMethod.values()) {
                if (!invocation.interruption().isRequested()) {
                    SampledMarket.SamplingOptions parameters = SampledMarket.SamplingOptions.DEFAULT
                            .withSamples(drawn)
                            .withMethod(way);
                    rows.add(measure(size, parameters, timed, seedNumber));
                }
            }
        }
        print(rows, format);
        if (invocation.interruption().isRequested()) {
            throw UserError.interrupted("interrupted");
        }
        return ExitCode.OK;
    }

    private static int integer(String flag, @Nullable String text, int otherwise, int max) {
        return text == null ? otherwise : (int) Quantity.integer(flag, text, 1, max);
    }

    private List<PlacementSize> sizes() {
        List<PlacementSize> found = new ArrayList<>();
        for (String part : sizes.split(",", -1)) {
            String[] pair = part.split("x", -1);
            if (pair.length != 2) {
                throw new IllegalArgumentException("--sizes: '" + part + "' must be JOBSxWORKERS, such as 10x64");
            }
            int workers = (int) Quantity.integer("workers in --sizes", pair[1], 1, 4096);
            found.add(new PlacementSize((int) Quantity.integer("jobs in --sizes", pair[0], 1, workers), workers));
        }
        return found;
    }

    private Map<String, Object> measure(
            PlacementSize size, SampledMarket.SamplingOptions parameters, int timed, long seedNumber) {
        if (!output.quiet) {
            spec.commandLine()
                    .getErr()
                    .println(size.jobs + " jobs, " + size.workers + " workers, "
                            + parameters.method().label() + " …");
        }
        PlacementLatency bench = new PlacementLatency(size.jobs, size.workers, parameters, seedNumber);
        double first = bench.firstMillis();
        LatencySample sample =
                bench.measure(timed, () -> invocation.interruption().isRequested());
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("jobs", size.jobs);
        row.put("workers", size.workers);
        row.put("market", parameters.method().label());
        row.put("samples", parameters.samples());
        row.put("placements", sample.count());
        row.put("firstMillis", RunFields.rounded(first, 3));
        row.put("p50Millis", RunFields.rounded(sample.percentileMicros(50) / 1000, 3));
        row.put("p99Millis", RunFields.rounded(sample.percentileMicros(99) / 1000, 3));
        row.put("maxMillis", RunFields.rounded(sample.percentileMicros(100) / 1000, 3));
        return row;
    }

    private void print(List<Map<String, Object>> rows, OutputFormat format) {
        PrintWriter out = out();
        if (!format.isHumanReadable()) {
            StructuredOutput.write(format, rows, out);
            return;
        }
        TextTable table = new TextTable()
                .numberColumn("jobs", TextTable.ALWAYS)
                .numberColumn("workers", TextTable.ALWAYS)
                .textColumn("market")
                .numberColumn("samples", 2)
                .numberColumn("placements", 1)
                .numberColumn("first ms", 3)
                .numberColumn("p50 ms", TextTable.ALWAYS)
                .numberColumn("p99 ms", TextTable.ALWAYS)
                .numberColumn("max ms", 4);
        for (Map<String, Object> row : rows) {
            table.row(row.values().stream().map(String::valueOf).toArray(String[]::new));
        }
        table.render(invocation.screen()).forEach(out::println);
        out.println();
        out.println("First: one placement before any warm-up of this size; that of the first line is cold.");
    }
}
