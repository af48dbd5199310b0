package dev.fermata.cli.simulation;

import dev.fermata.cli.option.CommandGroup;
import picocli.CommandLine.Command;

/** {@code fermata trace}: inspects, converts and samples traces. */
@Command(
        name = "trace",
        description = "Look at a trace, convert it to Fermata's CSV, or draw a sample of it.",
        footer = {
            "",
            "Examples:",
            "  fermata trace inspect cluster_log.csv --cluster 64x8:V100",
            "  fermata trace convert cluster_job_log.json --out jobs.csv.gz",
            "  fermata trace sample jobs.csv.gz --share 0.1 --out tenth.csv"
        })
public final class TraceCommand extends CommandGroup {}
