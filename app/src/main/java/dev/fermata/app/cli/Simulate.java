package dev.fermata.app.cli;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.input.Setting;
import dev.fermata.app.input.Traces;
import dev.fermata.app.output.EventLines;
import dev.fermata.app.output.Format;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.JobsCsv;
import dev.fermata.app.output.Progress;
import dev.fermata.app.output.Structured;
import dev.fermata.app.output.WholeFile;
import dev.fermata.app.report.Comparison;
import dev.fermata.app.report.RunFields;
import dev.fermata.app.report.RunSheet;
import dev.fermata.app.run.Measured;
import dev.fermata.app.run.OneRun;
import dev.fermata.app.run.Sitting;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.text.Quantity;
import dev.fermata.sim.experiment.LowerBound;
import dev.fermata.sim.workload.Workload;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code fermata simulate}: one policy on one workload. */
@Command(
        name = "simulate",
        description = "Run one policy on one workload and measure it.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
        footer = {
            "",
            "Examples:",
            "  fermata simulate --policy las:queues=3 --workload synthetic:jobs=5000,load=0.9",
            "  fermata simulate --cluster cluster.yaml --workload trace.csv --select first=1000 -o json",
            "  fermata simulate --policy srtf --estimator noisy:0.5 --jobs-out jobs.csv"
        })
final class Simulate implements Callable<Integer> {
    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ScenarioOptions scenario;

    @Option(
            names = "--policy",
            paramLabel = "NAME",
            defaultValue = ScenarioOptions.DEFAULT_POLICY,
            completionCandidates = PolicyNames.class,
            description = "NAME[:key=value,…]; 'fermata policies' lists them (default: ${DEFAULT-VALUE}).")
    private String policy;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of everything random (default: ${DEFAULT-VALUE}).")
    private String seed;

    @Option(names = "--jobs-out", paramLabel = "FILE.csv", description = "Write a line per job.")
    private @Nullable String jobsOut;

    @Option(names = "--events-out", paramLabel = "FILE", description = "Write the history, a JSON object per line.")
    private @Nullable String eventsOut;

    @Mixin
    private ReportOption report;

    @Mixin
    private OutputOptions output;

    Simulate(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        Format format = output.format();
        long seedNumber = Complaint.ifInvalid(() -> Quantity.whole("--seed", seed, Long.MIN_VALUE, Long.MAX_VALUE));
        PolicySpec chosen = Complaint.ifInvalid(() -> PolicySpec.parse(policy));
        Traces traces = scenario.traces();
        Setting setting =
                Complaint.ifInvalid(() -> scenario.with(List.of(chosen)).check(traces));
        Warnings.about(traces, output.quiet, spec.commandLine().getErr());
        report.remark(traces);
        OutputFiles files = new OutputFiles(report).add("--jobs-out", jobsOut).add("--events-out", eventsOut);
        setting.workload().file().ifPresent(files::spare);
        try (WholeFile jobs = jobsOut == null ? null : WholeFile.open(jobsOut);
                WholeFile events = eventsOut == null ? null : WholeFile.open(eventsOut);
                WholeFile page = report.open()) {
            Optional<EventLines> history = Optional.ofNullable(events).map(EventLines::new);
            Measured run = run(setting, chosen, seedNumber, history);
            print(run, format);
            Warnings.aboutDeclared(
                    List.of(setting), seedNumber, spec.commandLine().getErr());
            if (jobs != null) {
                JobsCsv.write(run.result().jobs(), setting.cluster().topology(), jobs);
                jobs.commit();
            }
            history.ifPresent(EventLines::finish);
            if (events != null) {
                events.commit();
            }
            if (page != null) {
                report.write(Comparison.of(List.of(run), 0), page, spec);
            }
        }
        return ExitCode.FINE;
    }

    private Measured run(Setting setting, PolicySpec chosen, long seedNumber, Optional<EventLines> events) {
        Workload workload = Complaint.ifInvalid(() -> setting.workload(seedNumber));
        double bound = LowerBound.meanJctSeconds(workload, setting.cluster().topology());
        int jobs = workload.jobs().size();
        Measured run;
        try (Progress progress = Progress.start(spec.commandLine().getErr(), surroundings.screen(), output.quiet, 1);
                Progress.Track track = progress.begin(chosen.text(), chosen.text(), jobs)) {
            Sitting sitting = report.asked() ? Sitting.forReport(List.of(setting), List.of(seedNumber)) : Sitting.NONE;
            run = new OneRun(setting, events, sitting.of(setting, seedNumber), surroundings.interruption())
                    .run(workload, bound, chosen, seedNumber, track);
        }
        if (!run.result().complete()) {
            throw Complaint.interrupted("interrupted when "
                    + run.result().jobs().size() + " of " + jobs + " jobs had ended; nothing was written");
        }
        return run;
    }

    private void print(Measured run, Format format) {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        if (format.forPeople()) {
            new RunSheet(run, surroundings.screen(), out).print(format == Format.WIDE);
        } else {
            Structured.write(format, RunFields.of(run), out);
        }
        Warnings.about(List.of(run), err);
        if (!output.quiet) {
            err.println(Humane.amount(run.jobs(), "job") + ", "
                    + Humane.count(run.result().events()) + " events in "
                    + Humane.time(run.result().wallSeconds()));
        }
    }
}
