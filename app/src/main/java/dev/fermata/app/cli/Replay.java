package dev.fermata.app.cli;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.input.PolicyList;
import dev.fermata.app.output.Format;
import dev.fermata.app.output.Progress;
import dev.fermata.app.output.WholeFile;
import dev.fermata.app.replay.Episode;
import dev.fermata.app.replay.ReplayOutput;
import dev.fermata.app.replay.Rerun;
import dev.fermata.app.report.Comparison;
import dev.fermata.app.run.Measured;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.sim.portrait.Portrait;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code fermata replay}: the recorded history in the simulator. */
@Command(
        name = "replay",
        description =
                "Run the recorded history in the simulator: under the policy that decided, to see how true it is, and under others.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
        footer = {
            "",
            "Examples:",
            "  fermata replay",
            "  fermata replay --policy fifo,xion,fermata:trial=20 --since 7d --report replay.html",
            "  fermata replay --estimator oracle",
            "  fermata events --since 30d --limit 1000000 -o json > history.json",
            "  fermata replay --events history.json --cluster 1x8:H100"
        })
final class Replay implements Callable<Integer>, OneOff {
    private static final String USUAL = "fifo-backfill,las,srtf,xion,fermata";
    private static final Portrait.Detail CHART = new Portrait.Detail(16, 1000);

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"--policy", "--policies"},
            paramLabel = "LIST",
            defaultValue = USUAL,
            completionCandidates = PolicyNames.class,
            description = "The other policies, joined by commas (default: ${DEFAULT-VALUE}).")
    private String policies;

    @Mixin
    private HistoryOptions history;

    @Mixin
    private ReportOption report;

    @Mixin
    private OutputOptions output;

    Replay(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        Format format = output.format();
        List<PolicySpec> others = Complaint.ifInvalid(() -> PolicyList.parse(policies));
        Complaint.ifInvalid(() -> Rerun.checkedEstimator(history.estimator));
        OutputFiles files = new OutputFiles(report);
        if (history.events != null) {
            files.spare(history.events);
        }
        try (WholeFile page = report.open()) {
            Episode episode = history.read(surroundings);
            PolicySpec was = PolicySpec.parse(episode.chronicle().policy());
            List<PolicySpec> all = new ArrayList<>(List.of(Rerun.live(was), was));
            others.stream().filter(other -> !other.text().equals(was.text())).forEach(all::add);
            ReplayOutput result = new ReplayOutput(episode, run(episode, all, history.estimator));
            result.print(format, surroundings.screen(), spec.commandLine().getOut());
            if (!output.quiet) {
                episode.remarks().forEach(this::remark);
            }
            if (page != null) {
                report.remark(episode.remarks());
                report.write(Comparison.of(result.runs(), 0), result.preface(), page, spec);
            }
        }
        return ExitCode.FINE;
    }

    private void remark(String text) {
        spec.commandLine().getErr().println("fermata: " + text);
        spec.commandLine().getErr().flush();
    }

    private List<Measured> run(Episode episode, List<PolicySpec> all, String estimator) {
        Rerun rerun = new Rerun(
                episode,
                all,
                report.asked() ? Optional.of(CHART) : Optional.empty(),
                surroundings.interruption()::asked);
        List<Measured> runs = new ArrayList<>(List.of(rerun.real(all.get(0))));
        int jobs = episode.workload().jobs().size();
        try (Progress progress = Progress.start(spec.commandLine().getErr(), surroundings.screen(), output.quiet, 1)) {
            all.stream().skip(1).forEach(policy -> progress.expect(policy.text(), jobs));
            for (PolicySpec policy : all.subList(1, all.size())) {
                try (Progress.Track track = progress.begin(policy.text(), policy.text(), jobs)) {
                    runs.add(rerun.under(policy, estimator, track::jobEnded)
                            .orElseThrow(() -> Complaint.interrupted("interrupted in the replay under " + policy.text()
                                    + "; nothing is shown, since nothing would be comparable")));
                }
            }
        }
        return runs;
    }
}
