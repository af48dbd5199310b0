package dev.fermata.app.cli;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.input.TracePart;
import dev.fermata.app.output.Humane;
import dev.fermata.core.text.Quantity;
import dev.fermata.sim.trace.Sample;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code fermata trace sample}: some of the jobs, drawn by chance. */
@Command(
        name = "sample",
        description =
                "Draw some jobs of a trace by chance, each as likely as any other, and write them in their order.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
        footer = {
            "",
            "A tenth of the jobs is a tenth of the load; --speedup 10 in a simulation brings it back.",
            "",
            "Example:",
            "  fermata trace sample jobs.csv.gz --share 0.1 --out tenth.csv"
        })
final class TraceSample implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "The trace, or a folder of them.")
    private String file;

    @Option(names = "--jobs", paramLabel = "N", description = "How many jobs.")
    private @Nullable String jobs;

    @Option(names = "--share", paramLabel = "X", description = "Or which share of them, from 0 to 1.")
    private @Nullable String share;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of the draw (default: ${DEFAULT-VALUE}).")
    private String seed;

    @Mixin
    private TraceOptions trace;

    @Mixin
    private TraceOutput output;

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        if ((jobs == null) == (share == null)) {
            throw Complaint.invalid("one of --jobs and --share is needed");
        }
        long seedNumber = Complaint.ifInvalid(() -> Quantity.whole("--seed", seed, Long.MIN_VALUE, Long.MAX_VALUE));
        output.check(file);
        TracePart all = trace.read(file, output.quiet, err);
        int wanted = Complaint.ifInvalid(() -> wanted(all.records().size()));
        TracePart drawn = all.at(Sample.of(all.records().size(), wanted, seedNumber));
        output.write(drawn, spec.commandLine());
        if (!output.quiet) {
            double factor = (double) all.records().size() / wanted;
            err.println("drawn with seed " + seedNumber + "; --speedup "
                    + Humane.number(factor).replace(",", "") + " in a simulation brings the load of all "
                    + Humane.count(all.records().size()) + " back");
        }
        return ExitCode.FINE;
    }

    private int wanted(int all) {
        String asked = jobs;
        if (asked != null) {
            return (int) Quantity.whole("--jobs", asked, 1, all);
        }
        double part = Quantity.number("--share", String.valueOf(share), 0, 1);
        return (int) Math.max(1, Math.round(part * all));
    }
}
