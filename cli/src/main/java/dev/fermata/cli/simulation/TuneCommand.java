package dev.fermata.cli.simulation;

import dev.fermata.cli.option.FermataCommand;
import dev.fermata.cli.option.HistoryOptions;
import dev.fermata.cli.option.Invocation;
import dev.fermata.cli.option.OneTimeFlags;
import dev.fermata.cli.option.OutputFiles;
import dev.fermata.cli.option.OutputOptions;
import dev.fermata.cli.option.PolicyNames;
import dev.fermata.cli.option.ReportOption;
import dev.fermata.cli.output.StatusLine;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.file.AtomicFile;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.replay.Objective;
import dev.fermata.insight.replay.ReplayRunner;
import dev.fermata.insight.replay.ReplayWindow;
import dev.fermata.insight.replay.Tuning;
import dev.fermata.report.html.ReportOrigin;
import dev.fermata.report.replay.TuningPage;
import dev.fermata.report.summary.RunFields;
import dev.fermata.report.text.OutputFormat;
import dev.fermata.report.text.StructuredOutput;
import dev.fermata.report.text.TextTable;
import dev.fermata.report.text.WordWrap;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code fermata tune}: settings of a policy that suit the recorded history. Proposes, never applies. */
@Command(
        name = "tune",
        description = {
            "Look for settings of a policy that would have done better on the recorded history.",
            "Found on the first two thirds of the jobs, judged on the rest. Only proposes."
        },
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  fermata tune --since 14d",
            "  fermata tune --policy xion --objective p95Jct --evaluations 200 --report tune.html",
            "  fermata tune --events history.json -o json"
        })
public final class TuneCommand extends FermataCommand implements OneTimeFlags {
    /** Fewer jobs do not predict the next ones. */
    private static final int MIN_HELD = 10;

    private static final int WIDEST = 110;
    private static final int DECIMALS = 6;

    @Option(
            names = "--policy",
            paramLabel = "P",
            completionCandidates = PolicyNames.class,
            description = "The policy and its current settings (default: the policy that decided).")
    private @Nullable String policy;

    @Option(
            names = "--objective",
            paramLabel = "NAME",
            defaultValue = "meanJct",
            description =
                    "The measure to minimise: meanJct, medianJct, p95Jct, meanWait, p95Wait, meanSlowdown, p95Slowdown, trialMeanJct (default: ${DEFAULT-VALUE}).")
    private String objective;

    @Option(
            names = "--evaluations",
            paramLabel = "N",
            defaultValue = "60",
            description = "Settings to try (default: ${DEFAULT-VALUE}).")
    private int evaluations;

    /** Its name in 0.1.0. */
    @Option(names = "--trials", hidden = true)
    private @Nullable Integer trials;

    @Option(names = "--minutes", paramLabel = "N", description = "Try no further settings after this time.")
    private @Nullable Double minutes;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of the search (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Mixin
    private HistoryOptions history;

    @Option(
            names = "--report",
            paramLabel = "FILE.html",
            description = "Write what was searched and found as one HTML page with pictures.")
    private @Nullable String report;

    @Mixin
    private OutputOptions output;

    public TuneCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    public Integer call() {
        OutputFormat format = output.format();
        Objective aim = UserError.wrapInvalid(() -> Objective.parse(objective));
        UserError.wrapInvalid(() -> ReplayRunner.checkedEstimator(history.estimator));
        String requested = policy;
        Optional<PolicySpec> given = requested == null
                ? Optional.empty()
                : Optional.of(UserError.wrapInvalid(() -> PolicySpec.parse(requested)));
        evaluations = trials == null ? evaluations : trials;
        if (evaluations < 1 || evaluations > 100_000) {
            throw UserError.invalid("--evaluations (" + evaluations + ") must be from 1 to 100000");
        }
        if (minutes != null && !(minutes > 0)) {
            throw UserError.invalid("--minutes (" + minutes + ") must be more than 0");
        }
        OutputFiles files = new OutputFiles().add("--report", report);
        Path read = history.events();
        if (read != null) {
            files.requireNotWritten(read);
        }
        try (AtomicFile page = report == null ? null : AtomicFile.open(report)) {
            return tune(format, aim, given, page);
        }
    }

    private int tune(OutputFormat format, Objective aim, Optional<PolicySpec> given, @Nullable AtomicFile page) {
        ReplayWindow window = history.read(invocation);
        PolicySpec present =
                given.orElseGet(() -> PolicySpec.parse(window.history().policy()));
        Tuning tuning = new Tuning(window, present, history.estimator, aim, invocation.interruption()::isRequested);
        if (tuning.heldOutJobs() < MIN_HELD) {
            throw UserError.invalid("only " + HumanFormat.amount(tuning.heldOutJobs(), "completed job")
                    + " would be left to judge a setting by; a search needs a history of at least "
                    + 3 * MIN_HELD + " jobs. Let it grow, or name an earlier --since");
        }
        Tuning.TuningResult answer = search(tuning);
        if (format.isHumanReadable()) {
            print(answer, aim, out());
        } else {
            StructuredOutput.write(format, fields(answer, aim), out());
        }
        if (!output.quiet) {
            window.remarks().forEach(text -> err().println("fermata: " + text));
        }
        if (page != null) {
            ReportOrigin origin = ReportOption.origin(spec, List.of(seed));
            page.write(new TuningPage(answer, aim, history.estimator).html(origin, window.remarks()));
        }
        return ExitCode.OK;
    }

    private Tuning.TuningResult search(Tuning tuning) {
        AtomicInteger made = new AtomicInteger();
        long begin = System.nanoTime();
        try (StatusLine status = new StatusLine(
                err(),
                invocation.screen(),
                output.quiet,
                () -> StatusLine.progress(
                                invocation.screen(),
                                (double) made.get() / evaluations,
                                (System.nanoTime() - begin) / 1e9)
                        + "  " + made.get() + " of " + evaluations + " settings")) {
            status.start();
            long end = minutes == null ? Long.MAX_VALUE : begin + Math.round(minutes * 60e9);
            return tuning.run(evaluations, seed, made::set, () -> System.nanoTime() > end)
                    .orElseThrow(() -> UserError.interrupted("interrupted after " + made.get() + " of " + evaluations
                            + " settings; nothing is proposed, since nothing was judged"));
        }
    }

    private void print(Tuning.TuningResult answer, Objective aim, PrintWriter out) {
        paragraph(
                "Settings of " + answer.present().policy().info().name() + " for a small " + aim.label()
                        + ", estimator "
                        + history.estimator + ", seed " + seed + ": "
                        + HumanFormat.amount(answer.evaluations().size(), "setting")
                        + " tried on " + HumanFormat.amount(answer.searchJobs(), "job") + ", the best judged on "
                        + HumanFormat.count(answer.heldOutJobs()) + " that came later.",
                out);
        out.println();
        TextTable table = new TextTable()
                .textColumn("settings")
                .numberColumn("searched on", TextTable.ALWAYS)
                .numberColumn("held out", TextTable.ALWAYS)
                .numberColumn("change", TextTable.ALWAYS)
                .numberColumn("95 % interval", 5);
        row(table, answer.present(), " (now)");
        answer.others().forEach(candidate -> row(table, candidate, ""));
        table.render(invocation.screen()).forEach(out::println);
        out.println();
        paragraph(answer.describe(aim), out);
        out.flush();
    }

    private static void row(TextTable table, Tuning.Candidate candidate, String remark) {
        boolean now = !remark.isEmpty();
        table.row(
                candidate.policy().text() + remark,
                HumanFormat.number(candidate.searchValue()),
                HumanFormat.number(candidate.heldOutValue()),
                now ? "" : HumanFormat.change(candidate.change().change()),
                now
                        ? ""
                        : HumanFormat.change(candidate.change().low()) + " … "
                                + HumanFormat.change(candidate.change().high()));
    }

    private void paragraph(String text, PrintWriter out) {
        WordWrap.wrap(text, Math.min(WIDEST, invocation.screen().columns())).forEach(out::println);
    }

    private Map<String, Object> fields(Tuning.TuningResult answer, Objective aim) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("objective", aim.label());
        fields.put("estimator", history.estimator);
        fields.put("seed", seed);
        fields.put("settingsTried", answer.evaluations().size());
        fields.put("jobsSearched", answer.searchJobs());
        fields.put("jobsHeldOut", answer.heldOutJobs());
        fields.put("present", fields(answer.present()));
        fields.put("proposal", answer.proposal().map(TuneCommand::fields).orElse(null));
        List<Map<String, Object>> candidates =
                answer.candidates().stream().map(TuneCommand::fields).toList();
        fields.put("candidates", candidates);
        return fields;
    }

    private static Map<String, Object> fields(Tuning.Candidate candidate) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("policy", candidate.policy().text());
        fields.put("searched", RunFields.rounded(candidate.searchValue(), DECIMALS));
        fields.put("heldOut", RunFields.rounded(candidate.heldOutValue(), DECIMALS));
        fields.put("change", RunFields.rounded(candidate.change().change(), DECIMALS));
        fields.put(
                "ci95",
                List.of(
                        RunFields.rounded(candidate.change().low(), DECIMALS),
                        RunFields.rounded(candidate.change().high(), DECIMALS)));
        return fields;
    }
}
