package dev.fermata.cli.simulation;

import dev.fermata.cli.option.TraceOptions;
import dev.fermata.cli.option.Version;
import dev.fermata.core.text.Quantity;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.input.SelectedTrace;
import dev.fermata.sim.trace.RandomSubset;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code fermata trace sample}: a random sample of the jobs. */
@Command(
        name = "sample",
        description = "Draw a uniform random sample of a trace's jobs, and write it in their order.",
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
public final class TraceSampleCommand implements Callable<Integer> {
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
            throw UserError.invalid("one of --jobs and --share is needed");
        }
        long seedNumber = UserError.wrapInvalid(() -> Quantity.integer("--seed", seed, Long.MIN_VALUE, Long.MAX_VALUE));
        output.check(file);
        SelectedTrace all = trace.read(file, output.quiet, err);
        int wanted = UserError.wrapInvalid(() -> sampleSize(all.records().size()));
        SelectedTrace drawn = all.pick(RandomSubset.of(all.records().size(), wanted, seedNumber));
        output.write(drawn, spec.commandLine());
        if (!output.quiet) {
            double factor = (double) all.records().size() / wanted;
            err.println("drawn with seed " + seedNumber + "; --speedup "
                    + HumanFormat.number(factor).replace(",", "") + " in a simulation brings the load of all "
                    + HumanFormat.count(all.records().size()) + " back");
        }
        return ExitCode.OK;
    }

    private int sampleSize(int all) {
        String requested = jobs;
        if (requested != null) {
            return (int) Quantity.integer("--jobs", requested, 1, all);
        }
        double part = Quantity.number("--share", String.valueOf(share), 0, 1);
        return (int) Math.max(1, Math.round(part * all));
    }
}
