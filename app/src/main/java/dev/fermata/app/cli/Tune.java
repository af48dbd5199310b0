package dev.fermata.app.cli;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import dev.fermata.app.output.Format;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.StatusLine;
import dev.fermata.app.output.Structured;
import dev.fermata.app.output.Table;
import dev.fermata.app.output.WholeFile;
import dev.fermata.app.output.Words;
import dev.fermata.app.replay.Episode;
import dev.fermata.app.replay.Objective;
import dev.fermata.app.replay.Rerun;
import dev.fermata.app.replay.Tuning;
import dev.fermata.app.replay.TuningPage;
import dev.fermata.app.report.RunFields;
import dev.fermata.app.report.html.Origin;
import dev.fermata.core.policy.PolicySpec;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code fermata tune}: settings of a policy that suit the recorded history. Proposes, never applies. */
@Command(
        name = "tune",
        description = {
            "Look for settings of a policy that would have done better on the recorded history.",
            "Found on the first two thirds of the jobs, judged on the rest. Only proposes."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false,
        versionProvider = Version.class,
        footer = {
            "",
            "Examples:",
            "  fermata tune --since 14d",
            "  fermata tune --policy xion --objective p95Jct --trials 200 --report tune.html",
            "  fermata tune --events history.json -o json"
        })
final class Tune implements Callable<Integer>, OneOff {
    /** Fewer say nothing about the next ones. */
    private static final int FEWEST_HELD = 10;

    private static final int WIDEST = 110;
    private static final int DECIMALS = 6;

    private final Surroundings surroundings;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--policy",
            paramLabel = "P",
            completionCandidates = PolicyNames.class,
            description = "The policy and its present settings (default: the one that decided).")
    private @Nullable String policy;

    @Option(
            names = "--objective",
            paramLabel = "NAME",
            defaultValue = "meanJct",
            description =
                    "What is to become small: meanJct, medianJct, p95Jct, meanWait, p95Wait, meanSlowdown, p95Slowdown, trialMeanJct (default: ${DEFAULT-VALUE}).")
    private String objective;

    @Option(
            names = "--trials",
            paramLabel = "N",
            defaultValue = "60",
            description = "Settings to try (default: ${DEFAULT-VALUE}).")
    private int trials;

    @Option(names = "--minutes", paramLabel = "N", description = "Try no further settings after this time.")
    private @Nullable Double minutes;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Of the search (default: ${DEFAULT-VALUE}).")
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

    Tune(Surroundings surroundings) {
        this.surroundings = surroundings;
    }

    @Override
    public Integer call() {
        Format format = output.format();
        Objective aim = Complaint.ifInvalid(() -> Objective.parse(objective));
        Complaint.ifInvalid(() -> Rerun.checkedEstimator(history.estimator));
        String asked = policy;
        Optional<PolicySpec> given =
                asked == null ? Optional.empty() : Optional.of(Complaint.ifInvalid(() -> PolicySpec.parse(asked)));
        if (trials < 1 || trials > 100_000) {
            throw Complaint.invalid("--trials (" + trials + ") must be from 1 to 100000");
        }
        if (minutes != null && !(minutes > 0)) {
            throw Complaint.invalid("--minutes (" + minutes + ") must be more than 0");
        }
        OutputFiles files = new OutputFiles().add("--report", report);
        if (history.events != null) {
            files.spare(history.events);
        }
        try (WholeFile page = report == null ? null : WholeFile.open(report)) {
            return tune(format, aim, given, page);
        }
    }

    private int tune(Format format, Objective aim, Optional<PolicySpec> given, @Nullable WholeFile page) {
        Episode episode = history.read(surroundings);
        PolicySpec present =
                given.orElseGet(() -> PolicySpec.parse(episode.chronicle().policy()));
        Tuning tuning = new Tuning(episode, present, history.estimator, aim, surroundings.interruption()::asked);
        if (tuning.heldJobs() < FEWEST_HELD) {
            throw Complaint.invalid("only " + Humane.amount(tuning.heldJobs(), "completed job")
                    + " would be left to judge a setting by; a search needs a history of at least "
                    + 3 * FEWEST_HELD + " jobs. Let it grow, or name an earlier --since");
        }
        Tuning.Answer answer = search(tuning);
        if (format.forPeople()) {
            print(answer, aim, spec.commandLine().getOut());
        } else {
            Structured.write(format, fields(answer, aim), spec.commandLine().getOut());
        }
        if (!output.quiet) {
            episode.remarks().forEach(text -> spec.commandLine().getErr().println("fermata: " + text));
        }
        if (page != null) {
            Origin origin = ReportOption.origin(spec, List.of(seed));
            page.write(new TuningPage(answer, aim, history.estimator).html(origin, episode.remarks()));
        }
        return ExitCode.FINE;
    }

    private Tuning.Answer search(Tuning tuning) {
        AtomicInteger made = new AtomicInteger();
        long begin = System.nanoTime();
        try (StatusLine status = new StatusLine(
                spec.commandLine().getErr(),
                surroundings.screen(),
                output.quiet,
                () -> StatusLine.progress(
                                surroundings.screen(), (double) made.get() / trials, (System.nanoTime() - begin) / 1e9)
                        + "  " + made.get() + " of " + trials + " settings")) {
            status.start();
            long end = minutes == null ? Long.MAX_VALUE : begin + Math.round(minutes * 60e9);
            return tuning.run(trials, seed, made::set, () -> System.nanoTime() > end)
                    .orElseThrow(() -> Complaint.interrupted("interrupted after " + made.get() + " of " + trials
                            + " settings; nothing is proposed, since nothing was judged"));
        }
    }

    private void print(Tuning.Answer answer, Objective aim, PrintWriter out) {
        paragraph(
                "Settings of " + answer.present().policy().info().name() + " for a small " + aim.label()
                        + ", estimator "
                        + history.estimator + ", seed " + seed + ": "
                        + Humane.amount(answer.trials().size(), "setting")
                        + " tried on " + Humane.amount(answer.searchedJobs(), "job") + ", the best judged on "
                        + Humane.count(answer.heldJobs()) + " that came later.",
                out);
        out.println();
        Table table = new Table()
                .words("settings")
                .numbers("searched on", Table.ALWAYS)
                .numbers("held out", Table.ALWAYS)
                .numbers("change", Table.ALWAYS)
                .numbers("95 % interval", 5);
        row(table, answer.present(), " (now)");
        answer.others().forEach(candidate -> row(table, candidate, ""));
        table.render(surroundings.screen()).forEach(out::println);
        out.println();
        paragraph(answer.words(aim), out);
        out.flush();
    }

    private static void row(Table table, Tuning.Candidate candidate, String remark) {
        boolean now = !remark.isEmpty();
        table.row(
                candidate.policy().text() + remark,
                Humane.number(candidate.searched()),
                Humane.number(candidate.held()),
                now ? "" : Humane.change(candidate.change().change()),
                now
                        ? ""
                        : Humane.change(candidate.change().low()) + " … "
                                + Humane.change(candidate.change().high()));
    }

    private void paragraph(String text, PrintWriter out) {
        Words.wrap(text, Math.min(WIDEST, surroundings.screen().columns())).forEach(out::println);
    }

    private Map<String, Object> fields(Tuning.Answer answer, Objective aim) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("objective", aim.label());
        fields.put("estimator", history.estimator);
        fields.put("seed", seed);
        fields.put("settingsTried", answer.trials().size());
        fields.put("jobsSearched", answer.searchedJobs());
        fields.put("jobsHeldOut", answer.heldJobs());
        fields.put("present", fields(answer.present()));
        fields.put("proposal", answer.proposal().map(Tune::fields).orElse(null));
        List<Map<String, Object>> candidates =
                answer.candidates().stream().map(Tune::fields).toList();
        fields.put("candidates", candidates);
        return fields;
    }

    private static Map<String, Object> fields(Tuning.Candidate candidate) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("policy", candidate.policy().text());
        fields.put("searched", RunFields.rounded(candidate.searched(), DECIMALS));
        fields.put("heldOut", RunFields.rounded(candidate.held(), DECIMALS));
        fields.put("change", RunFields.rounded(candidate.change().change(), DECIMALS));
        fields.put(
                "ci95",
                List.of(
                        RunFields.rounded(candidate.change().low(), DECIMALS),
                        RunFields.rounded(candidate.change().high(), DECIMALS)));
        return fields;
    }
}
