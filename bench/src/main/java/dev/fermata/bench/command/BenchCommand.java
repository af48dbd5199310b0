package dev.fermata.bench.command;

import dev.fermata.cli.option.CommandGroup;
import picocli.CommandLine.Command;

/** {@code fermata bench}: measures the program itself. */
@Command(
        name = "bench",
        description =
                "Measure the program itself: speed of the simulator, of reading and of the store, latency of decisions and placements.",
        footer = {"", "Examples:", "  fermata bench sim --quick", "  fermata bench decide --policies srtf"})
final class BenchCommand extends CommandGroup {}
