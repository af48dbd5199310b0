package dev.fermata.bench.command;

import dev.fermata.bench.torture.TortureRun;
import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.input.SeedList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code fermata torture}: the whole daemon in virtual time, with faults. */
@Command(
        name = "torture",
        description = {
            "Run the whole daemon in virtual time with faults at every boundary, and check its laws after every step.",
            "Exits with 1 where a law breaks, and prints the seed, the step, the law and the end of the trace."
        },
        sortOptions = false,
        footer = {"", "Examples:", "  fermata torture --seeds 1..1000", "  fermata torture --seeds 42 --trace"})
final class TortureCommand extends FermataCommand {
    private static final int PROGRESS_EVERY = 500;

    @Option(
            names = {"--seeds", "--seed"},
            paramLabel = "A..B",
            description = "Seeds to run (default: ${DEFAULT-VALUE}).",
            defaultValue = "1..100")
    private String seeds;

    @Option(names = "--trace", description = "Print all that happens, a line each.")
    private boolean trace;

    @Option(
            names = "--failures",
            paramLabel = "N",
            description = "Stop after so many seeds with a broken law (default: ${DEFAULT-VALUE}).",
            defaultValue = "1")
    private int failures;

    @Option(names = "--quiet", description = "No progress on stderr.")
    private boolean quiet;

    TortureCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() {
        List<Long> all = UserError.wrapInvalid(() -> SeedList.parse(seeds));
        Consumer<String> listener = trace ? line -> out().println(line) : line -> {};
        Totals totals = new Totals();
        for (long seed : all) {
            TortureRun.Result result = TortureRun.run(seed, listener);
            totals.add(result);
            if (result.law() != null) {
                print(result);
            }
            if (totals.broken >= failures) {
                break;
            }
            if (!quiet && totals.runs % PROGRESS_EVERY == 0) {
                err().println("seeds: " + totals.runs + " of " + all.size());
                err().flush();
            }
            if (invocation.interruption().isRequested()) {
                throw UserError.interrupted("interrupted after " + totals.runs + " seeds");
            }
        }
        out().println(totals);
        return totals.broken == 0 ? ExitCode.OK : ExitCode.ERROR;
    }

    private void print(TortureRun.Result result) {
        if (!trace) {
            result.tail().forEach(out()::println);
        }
        out().println();
        out().println("seed " + result.seed() + ", step " + result.steps() + ": broken law: " + result.law());
        out().println(result.details());
        out().println("again: fermata torture --seeds " + result.seed() + " --trace");
        out().flush();
    }

    /** Sums over runs. */
    private static final class Totals {
        int runs;
        int broken;
        private long steps;
        private long jobs;
        private long attempts;
        private long preemptions;
        private long kills;
        private long entries;
        private long hours;
        private int digest = 1;

        void add(TortureRun.Result result) {
            runs++;
            broken += result.law() == null ? 0 : 1;
            steps += result.steps();
            jobs += result.counts().jobs();
            attempts += result.counts().attempts();
            preemptions += result.counts().preemptions();
            kills += result.counts().kills();
            entries += result.counts().entries();
            hours += result.counts().hours();
            digest = 31 * digest + result.digest().hashCode();
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "seeds: %,d, of them with a broken law: %,d, steps: %,d, simulated hours: %,d, jobs: %,d, attempts: %,d,"
                            + " preemptions: %,d, kills: %,d, history entries: %,d, digest: %08x",
                    runs,
                    broken,
                    steps,
                    hours,
                    jobs,
                    attempts,
                    preemptions,
                    kills,
                    entries,
                    digest);
        }
    }
}
