package dev.fermata.app.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code fermata trace}: what is in a trace, and other traces made of it. */
@Command(
        name = "trace",
        description = "Look at a trace, convert it to Fermata's CSV, or draw a sample of it.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "Examples:",
            "  fermata trace inspect cluster_log.csv --cluster 64x8:V100",
            "  fermata trace convert cluster_job_log.json --out jobs.csv.gz",
            "  fermata trace sample jobs.csv.gz --share 0.1 --out tenth.csv"
        })
final class TraceCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }
}
