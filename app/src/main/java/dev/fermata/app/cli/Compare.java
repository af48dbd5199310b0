package dev.fermata.app.cli;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.input.PolicyList;
import dev.fermata.app.input.Scenario;
import dev.fermata.app.input.SeedList;
import dev.fermata.app.input.Setting;
import dev.fermata.app.input.Traces;
import dev.fermata.app.input.Variation;
import dev.fermata.app.output.Format;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.Progress;
import dev.fermata.app.output.Structured;
import dev.fermata.app.report.ComparisonTable;
import dev.fermata.app.report.RunFields;
import dev.fermata.app.run.Matrix;
import dev.fermata.app.run.Measured;
import dev.fermata.core.policy.Catalogue;
import dev.fermata.core.policy.PolicySpec;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code fermata compare}: several policies, seeds and values of one key, side by side. */
@Command(
        name = "compare",
        description = "Run several policies on the same workloads and put them side by side.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
        footer = {
            "",
            "Examples:",
            "  fermata compare",
            "  fermata compare --policies fifo,las:queues=3,threshold=100,srtf --seeds 1..5",
            "  fermata compare --policies fifo,srtf --vary load=0.7,0.9,1.1 -o csv",
            "  fermata compare --policies las --vary policy.threshold=1000,10000"
        })
final class Compare implements Callable<Integer> {
    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--policies",
            paramLabel = "LIST",
            defaultValue = "all",
            completionCandidates = PolicyNames.class,
            description = "Policies joined by commas, or all (default: ${DEFAULT-VALUE}).")
    private String policies;

    @Option(
            names = {"--seeds", "--seed"},
            paramLabel = "LIST",
            defaultValue = "1",
            description = "Seeds: 1..5 or 1,2,3; several give confidence intervals (default: ${DEFAULT-VALUE}).")
    private String seeds;

    @Option(
            names = "--vary",
            paramLabel = "KEY=v1,v2,…",
            description = {
                "Repeat with other values of a key: a knob of the generator (load, jobs, trial, …),",
                "cluster, estimator, costs, models, speedup, or policy.PARAM."
            })
    private @Nullable String vary;

    @Mixin
    private ThreadOptions threads;

    @Mixin
    private ScenarioOptions scenario;

    @Mixin
    private OutputOptions output;

    Compare(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        Format format = output.format();
        List<Long> seedList = Complaint.ifInvalid(() -> SeedList.parse(seeds));
        int threadCount = threads.count();
        List<Setting> settings = Complaint.ifInvalid(this::settings);
        Matrix matrix = new Matrix(settings, seedList, surroundings.interruption());
        PrintWriter err = spec.commandLine().getErr();
        long begin = System.nanoTime();
        List<Measured> runs;
        try (Progress progress =
                Progress.start(err, surroundings.screen(), output.quiet, matrix.runs(), matrix.jobs())) {
            runs = matrix.run(threadCount, progress);
        }
        print(runs, seedList, format);
        Warnings.about(runs, err);
        if (runs.size() < matrix.runs()) {
            throw Complaint.interrupted("interrupted; " + runs.size() + " of " + matrix.runs() + " runs were done");
        }
        if (!output.quiet) {
            err.println(runs.size() + " runs in " + Humane.time((System.nanoTime() - begin) / 1e9));
        }
        return ExitCode.FINE;
    }

    private List<Setting> settings() {
        List<PolicySpec> chosen =
                PolicyList.parse(policies.equals("all") ? String.join(",", Catalogue.names()) : policies);
        Scenario base = scenario.with(chosen);
        Traces traces = scenario.traces();
        List<Setting> settings = vary == null
                ? List.of(base.check("", traces))
                : Variation.parse(vary).settings(base, traces);
        Warnings.about(traces, output.quiet, spec.commandLine().getErr());
        return settings;
    }

    private void print(List<Measured> runs, List<Long> seedList, Format format) {
        PrintWriter out = spec.commandLine().getOut();
        if (format.forPeople()) {
            new ComparisonTable(runs, seedList, format == Format.WIDE, surroundings.screen(), out).print();
        } else {
            Structured.write(format, runs.stream().map(RunFields::of).toList(), out);
        }
    }
}
