package dev.fermata.cli.simulation;

import dev.fermata.cli.option.ExperimentOptions;
import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OutputFiles;
import dev.fermata.cli.option.OutputOptions;
import dev.fermata.cli.option.PolicyNames;
import dev.fermata.cli.option.ReportOption;
import dev.fermata.cli.option.ResultWarnings;
import dev.fermata.cli.output.ProgressDisplay;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.text.Quantity;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.experiment.FigurePlan;
import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.insight.experiment.RunExecutor;
import dev.fermata.insight.experiment.RunProgress;
import dev.fermata.insight.file.AtomicFile;
import dev.fermata.insight.file.EventFileWriter;
import dev.fermata.insight.file.JobsCsvWriter;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.input.ExperimentSetting;
import dev.fermata.insight.input.TraceCache;
import dev.fermata.report.comparison.Comparison;
import dev.fermata.report.summary.RunFields;
import dev.fermata.report.summary.RunOverview;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.report.text.StructuredOutput;
import dev.fermata.sim.workload.Workload;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code fermata simulate}: one policy on one workload. */
@Command(
        name = "simulate",
        description = "Run one policy on one workload and measure it.",
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  fermata simulate --policy las:queues=3 --workload synthetic:jobs=5000,load=0.9",
            "  fermata simulate --cluster cluster.yaml --workload trace.csv --select first=1000 -o json",
            "  fermata simulate --policy srtf --estimator noisy:0.5 --jobs-out jobs.csv"
        })
public final class SimulateCommand extends FermataCommand {
    @Mixin
    private ExperimentOptions experiment;

    @Option(
            names = "--policy",
            paramLabel = "NAME",
            defaultValue = ExperimentOptions.DEFAULT_POLICY,
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

    @Option(
            names = "--events-out",
            paramLabel = "FILE",
            description = "Write the history, a JSON object per line; not the format that replay reads.")
    private @Nullable String eventsOut;

    @Mixin
    private ReportOption report;

    @Mixin
    private OutputOptions output;

    public SimulateCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() {
        OutputFormat format = output.format();
        long seedNumber = UserError.wrapInvalid(() -> Quantity.integer("--seed", seed, Long.MIN_VALUE, Long.MAX_VALUE));
        PolicySpec chosen = UserError.wrapInvalid(() -> PolicySpec.parse(policy));
        TraceCache traces = experiment.traces();
        ExperimentSetting setting =
                UserError.wrapInvalid(() -> experiment.spec(List.of(chosen)).parse(traces));
        ResultWarnings.printFor(traces, output.quiet, err());
        report.addRemarks(traces);
        OutputFiles files = new OutputFiles(report).add("--jobs-out", jobsOut).add("--events-out", eventsOut);
        setting.workload().file().ifPresent(files::requireNotWritten);
        try (AtomicFile jobs = jobsOut == null ? null : AtomicFile.open(jobsOut);
                AtomicFile events = eventsOut == null ? null : AtomicFile.open(eventsOut);
                AtomicFile page = report.open()) {
            Optional<EventFileWriter> history = Optional.ofNullable(events).map(EventFileWriter::new);
            MeasuredRun run = run(setting, chosen, seedNumber, history);
            print(run, format);
            ResultWarnings.printUndeclared(List.of(setting), seedNumber, err());
            if (jobs != null) {
                JobsCsvWriter.write(run.result().jobs(), setting.cluster().topology(), jobs);
                jobs.commit();
            }
            history.ifPresent(EventFileWriter::finish);
            if (events != null) {
                events.commit();
            }
            if (page != null) {
                report.write(Comparison.of(List.of(run), 0), page, spec);
            }
        }
        return ExitCode.OK;
    }

    private MeasuredRun run(
            ExperimentSetting setting, PolicySpec chosen, long seedNumber, Optional<EventFileWriter> events) {
        Workload workload = UserError.wrapInvalid(() -> setting.workload(seedNumber));
        double bound = setting.lowerBoundMeanJctSeconds(workload, seedNumber);
        int jobs = workload.jobs().size();
        MeasuredRun run;
        try (ProgressDisplay progress = ProgressDisplay.start(err(), invocation.screen(), output.quiet, 1);
                RunProgress.RunTrack track = progress.begin(chosen.text(), chosen.text(), jobs)) {
            FigurePlan figurePlan = report.isRequested()
                    ? FigurePlan.forReport(List.of(setting), List.of(seedNumber))
                    : FigurePlan.NONE;
            run = new RunExecutor(setting, events, figurePlan.detail(setting, seedNumber), invocation.interruption())
                    .run(workload, bound, chosen, seedNumber, track);
        }
        if (!run.result().complete()) {
            throw UserError.interrupted("interrupted when "
                    + run.result().jobs().size() + " of " + jobs + " jobs had ended; nothing was written");
        }
        return run;
    }

    private void print(MeasuredRun run, OutputFormat format) {
        PrintWriter out = out();
        PrintWriter err = err();
        if (format.isHumanReadable()) {
            new RunOverview(run, invocation.screen(), out).print(format == OutputFormat.WIDE);
        } else {
            StructuredOutput.write(format, RunFields.of(run), out);
        }
        ResultWarnings.printFor(List.of(run), err);
        if (!output.quiet) {
            err.println(HumanFormat.amount(run.jobs(), "job") + ", "
                    + HumanFormat.count(run.result().events()) + " events in "
                    + HumanFormat.time(run.result().wallSeconds()));
        }
    }
}
