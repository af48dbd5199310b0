package dev.fermata.report.replay;

import dev.fermata.core.measure.JobResult;
import dev.fermata.core.policy.Param;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.insight.replay.Fidelity;
import dev.fermata.insight.replay.Objective;
import dev.fermata.insight.replay.ParameterSpace;
import dev.fermata.insight.replay.Tuning;
import dev.fermata.insight.replay.Tuning.Candidate;
import dev.fermata.report.figure.CdfPlot;
import dev.fermata.report.figure.TuningPlot;
import dev.fermata.report.figure.TuningPlot.PointRole;
import dev.fermata.report.html.ReportOrigin;
import dev.fermata.report.page.TopicPage;
import dev.fermata.report.plot.Plot;
import dev.fermata.sim.recording.EmpiricalCdf;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** The page of a search for settings: the answer, the parameters, every setting tried, and the jobs it was judged on. */
public final class TuningPage {
    private final Tuning.TuningResult answer;
    private final Objective aim;
    private final String estimator;
    private final ParameterSpace space;

    public TuningPage(Tuning.TuningResult answer, Objective aim, String estimator) {
        this.answer = answer;
        this.aim = aim;
        this.estimator = estimator;
        this.space = new ParameterSpace(answer.present().policy());
    }

    /** @param remarks what was said about the history when it was read */
    public String html(ReportOrigin origin, List<String> remarks) {
        List<String> notes = new ArrayList<>(remarks);
        notes.add(
                "Settings were found on the first two thirds of the jobs and judged on the others, which the search never used."
                        + " The interval comes from repeated draws of those jobs in blocks of neighbours."
                        + " A setting is proposed only if all of its interval lies below 0.");
        notes.add("Nothing was changed: the daemon uses a setting when it is started with it.");
        return new TopicPage(
                        "Fermata: settings of "
                                + answer.present().policy().info().name(),
                        lead())
                .with(new TopicPage.Section(
                        "answer", "Answer", List.of(), List.of(candidates()), false, List.of(answer.describe(aim))))
                .with(new TopicPage.Section(
                        "parameters", "Parameters", List.of(), List.of(settings()), false, List.of()))
                .with("evaluations", "Evaluations", evaluationPlots())
                .with("held-out", "Jobs held out", distributions())
                .withParagraphs("notes", "Notes", notes)
                .html(origin);
    }

    private String lead() {
        return "For a small " + aim.label() + ", estimator " + estimator + ": "
                + HumanFormat.amount(answer.evaluations().size(), "setting") + " tried on "
                + HumanFormat.amount(answer.searchJobs(), "job") + ", the best judged on "
                + HumanFormat.count(answer.heldOutJobs()) + " that came later.";
    }

    private ResultTable candidates() {
        List<List<String>> rows = new ArrayList<>();
        Candidate now = answer.present();
        rows.add(
                List.of(now.policy().text() + " (now)", format(now.searchValue()), format(now.heldOutValue()), "", ""));
        answer.others()
                .forEach(c -> rows.add(List.of(
                        c.policy().text(),
                        format(c.searchValue()),
                        format(c.heldOutValue()),
                        HumanFormat.change(c.change().change()),
                        HumanFormat.change(c.change().low()) + " … "
                                + HumanFormat.change(c.change().high()))));
        return new ResultTable(
                "The best of the search, best first, and their results on jobs that it never used",
                List.of("settings", aim.label() + " searched on", "held out", "change", "95 % interval"),
                rows);
    }

    private ResultTable settings() {
        List<List<String>> rows = new ArrayList<>();
        for (Param parameter : answer.present().policy().info().params()) {
            String now = ParameterSpace.format(answer.present().policy(), parameter);
            String best = ParameterSpace.format(best().policy(), parameter);
            boolean turned = space.tunable().contains(parameter);
            rows.add(List.of(
                    parameter.name(),
                    now,
                    !turned ? "left alone" : best.equals(now) ? "the same" : best,
                    parameter.help()));
        }
        return new ResultTable(
                "Every parameter: its value now, and in the best of the search",
                List.of("parameter", "now", "best", "what it does"),
                rows);
    }

    private Candidate best() {
        return answer.candidates().get(0);
    }

    /** A picture for each parameter. */
    private List<Plot> evaluationPlots() {
        List<Plot> plots = new ArrayList<>();
        for (Param parameter : space.tunable()) {
            List<TuningPlot.EvaluationPoint> points = answer.evaluations().stream()
                    .map(trial -> new TuningPlot.EvaluationPoint(
                            ParameterSpace.numericValue(trial.policy(), parameter),
                            trial.searchValue(),
                            role(trial.policy().text())))
                    .toList();
            plots.add(new TuningPlot(
                    "evaluations-" + parameter.name().replaceAll("[^A-Za-z0-9]+", "-"),
                    aim.label() + " by " + parameter.name(),
                    "Each point is one setting on the jobs of the search; the other parameters differ as well. Lower is better; the level"
                            + " line is the present setting.",
                    parameter.name() + (parameter.valueType() == Param.ValueType.SECONDS ? " in seconds" : ""),
                    aim.label(),
                    parameter.choices(),
                    value -> aim.isSeconds() ? HumanFormat.time(value) : HumanFormat.plain(value),
                    points));
        }
        return plots;
    }

    private PointRole role(String policy) {
        return policy.equals(answer.present().policy().text())
                ? PointRole.PRESENT
                : policy.equals(best().policy().text()) ? PointRole.BEST : PointRole.TRIED;
    }

    private List<Plot> distributions() {
        return List.of(
                distribution("completion", "Completion times", "from submission to end", JobResult::jctMillis),
                distribution("waiting", "Waiting", "time in the queue", JobResult::waitMillis));
    }

    private Plot distribution(String name, String title, String what, ToLongFunction<JobResult> figure) {
        List<CdfPlot.CdfLine> entries = new ArrayList<>(List.of(cdfLine("now", answer.present(), figure)));
        if (role(best().policy().text()) == PointRole.BEST) {
            entries.add(cdfLine("best of the search", best(), figure));
        }
        return new CdfPlot(
                name,
                title + " of the jobs held out",
                "Before and after, on the same " + HumanFormat.amount(answer.heldOutJobs(), "job")
                        + ". Further left is sooner.",
                what,
                entries);
    }

    private CdfPlot.CdfLine cdfLine(String label, Candidate candidate, ToLongFunction<JobResult> figure) {
        return new CdfPlot.CdfLine(
                label,
                EmpiricalCdf.of(candidate.jobs().stream()
                        .filter(aim::includes)
                        .mapToDouble(job -> figure.applyAsLong(job) / 1000.0)
                        .toArray()));
    }

    private String format(double value) {
        return aim.isSeconds() ? Fidelity.formatTime(value) : HumanFormat.plain(value);
    }
}
