package dev.fermata.cli.simulation;

import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.HistoryOptions;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OneTimeFlags;
import dev.fermata.cli.option.OutputFiles;
import dev.fermata.cli.option.OutputOptions;
import dev.fermata.cli.option.PolicyNames;
import dev.fermata.cli.option.ReportOption;
import dev.fermata.cli.output.ProgressDisplay;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.insight.experiment.RunProgress;
import dev.fermata.insight.file.AtomicFile;
import dev.fermata.insight.input.PolicyList;
import dev.fermata.insight.replay.ReplayRunner;
import dev.fermata.insight.replay.ReplayWindow;
import dev.fermata.report.comparison.Comparison;
import dev.fermata.report.replay.ReplayReport;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.sim.recording.RunRecording;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code fermata replay}: the recorded history in the simulator. */
@Command(
        name = "replay",
        description =
                "Run the recorded history in the simulator: under the policy that decided, to check the simulator, and under others.",
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  fermata replay",
            "  fermata replay --policy fifo,xion,fermata:trial=20 --since 7d --report replay.html",
            "  fermata replay --estimator oracle",
            "  fermata events --since 30d --limit 1000000 -o json > history.json",
            "  fermata replay --events history.json --cluster 1x8:H100"
        })
public final class ReplayCommand extends FermataCommand implements OneTimeFlags {
    private static final String DEFAULT_POLICIES = "fifo-backfill,las,srtf,xion,fermata";
    private static final RunRecording.RecordingDetail CHART = new RunRecording.RecordingDetail(16, 1000);

    @Option(
            names = {"--policy", "--policies"},
            paramLabel = "LIST",
            defaultValue = DEFAULT_POLICIES,
            completionCandidates = PolicyNames.class,
            description = "The other policies, joined by commas (default: ${DEFAULT-VALUE}).")
    private String policies;

    @Mixin
    private HistoryOptions history;

    @Mixin
    private ReportOption report;

    @Mixin
    private OutputOptions output;

    public ReplayCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() {
        OutputFormat format = output.format();
        List<PolicySpec> others = UserError.wrapInvalid(() -> PolicyList.parse(policies));
        UserError.wrapInvalid(() -> ReplayRunner.checkedEstimator(history.estimator));
        OutputFiles files = new OutputFiles(report);
        Path read = history.events();
        if (read != null) {
            files.requireNotWritten(read);
        }
        try (AtomicFile page = report.open()) {
            ReplayWindow window = history.read(invocation);
            PolicySpec was = PolicySpec.parse(window.history().policy());
            List<PolicySpec> all = new ArrayList<>(List.of(ReplayRunner.recordedPolicy(was), was));
            others.stream().filter(other -> !other.text().equals(was.text())).forEach(all::add);
            ReplayReport result = new ReplayReport(window, run(window, all, history.estimator));
            result.print(format, invocation.screen(), out());
            if (!output.quiet) {
                window.remarks().forEach(this::printRemark);
            }
            if (page != null) {
                report.addRemarks(window.remarks());
                report.write(Comparison.of(result.runs(), 0), result.introduction(), page, spec);
            }
        }
        return ExitCode.OK;
    }

    private void printRemark(String text) {
        err().println("fermata: " + text);
        err().flush();
    }

    private List<MeasuredRun> run(ReplayWindow window, List<PolicySpec> all, String estimator) {
        ReplayRunner runner = new ReplayRunner(
                window,
                all,
                report.isRequested() ? Optional.of(CHART) : Optional.empty(),
                invocation.interruption()::isRequested);
        List<MeasuredRun> runs = new ArrayList<>(List.of(runner.recorded(all.get(0))));
        int jobs = window.workload().jobs().size();
        try (ProgressDisplay progress = ProgressDisplay.start(err(), invocation.screen(), output.quiet, 1)) {
            all.stream().skip(1).forEach(policy -> progress.expect(policy.text(), jobs));
            for (PolicySpec policy : all.subList(1, all.size())) {
                try (RunProgress.RunTrack track = progress.begin(policy.text(), policy.text(), jobs)) {
                    runs.add(runner.replay(policy, estimator, track::jobEnded)
                            .orElseThrow(() -> UserError.interrupted("interrupted in the replay under " + policy.text()
                                    + "; nothing is shown, since nothing would be comparable")));
                }
            }
        }
        return runs;
    }
}
