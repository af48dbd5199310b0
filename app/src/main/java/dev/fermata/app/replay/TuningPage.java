package dev.fermata.app.replay;

import dev.fermata.app.output.Humane;
import dev.fermata.app.replay.Tuning.Candidate;
import dev.fermata.app.report.figure.CdfPlot;
import dev.fermata.app.report.figure.TrialsPlot;
import dev.fermata.app.report.figure.TrialsPlot.Role;
import dev.fermata.app.report.html.Origin;
import dev.fermata.app.report.html.TopicPage;
import dev.fermata.app.report.plot.Plot;
import dev.fermata.app.report.plot.Scale;
import dev.fermata.core.measure.JobResult;
import dev.fermata.core.policy.Param;
import dev.fermata.sim.portrait.Curve;
import dev.fermata.sim.reproduce.Sheet;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** What a search for settings came to, as a page: the answer, the knobs, every trial, and the jobs that it was judged on. */
public final class TuningPage {
    private final Tuning.Answer answer;
    private final Objective aim;
    private final String estimator;
    private final Knobs knobs;

    public TuningPage(Tuning.Answer answer, Objective aim, String estimator) {
        this.answer = answer;
        this.aim = aim;
        this.estimator = estimator;
        this.knobs = new Knobs(answer.present().policy());
    }

    /** @param remarks what was said about the history when it was read */
    public String html(Origin origin, List<String> remarks) {
        List<String> notes = new ArrayList<>(remarks);
        notes.add(
                "Settings were found on the first two thirds of the jobs and judged on the others, which the search never saw."
                        + " The interval is drawn from those jobs again and again in blocks of neighbours; a setting is proposed only if"
                        + " all of it lies below 0.");
        notes.add("Nothing was changed: the daemon uses a setting when it is started with it.");
        return new TopicPage(
                        "Fermata: settings of "
                                + answer.present().policy().info().name(),
                        lead())
                .with(new TopicPage.Section(
                        "answer", "Answer", List.of(), List.of(candidates()), false, List.of(answer.words(aim))))
                .with(new TopicPage.Section("knobs", "Knobs", List.of(), List.of(settings()), false, List.of()))
                .with("trials", "Trials", trials())
                .with("held-out", "Jobs held out", distributions())
                .withWords("notes", "Notes", notes)
                .html(origin);
    }

    private String lead() {
        return "For a small " + aim.label() + ", estimator " + estimator + ": "
                + Humane.amount(answer.trials().size(), "setting") + " tried on "
                + Humane.amount(answer.searchedJobs(), "job") + ", the best judged on "
                + Humane.count(answer.heldJobs()) + " that came later.";
    }

    private Sheet candidates() {
        List<List<String>> rows = new ArrayList<>();
        Candidate now = answer.present();
        rows.add(List.of(now.policy().text() + " (now)", show(now.searched()), show(now.held()), "", ""));
        answer.others()
                .forEach(c -> rows.add(List.of(
                        c.policy().text(),
                        show(c.searched()),
                        show(c.held()),
                        Humane.change(c.change().change()),
                        Humane.change(c.change().low()) + " … "
                                + Humane.change(c.change().high()))));
        return new Sheet(
                "The best of the search, best first, and what came of them on jobs that it never saw",
                List.of("settings", aim.label() + " searched on", "held out", "change", "95 % interval"),
                rows);
    }

    private Sheet settings() {
        List<List<String>> rows = new ArrayList<>();
        for (Param knob : answer.present().policy().info().params()) {
            String now = Knobs.show(answer.present().policy(), knob);
            String best = Knobs.show(best().policy(), knob);
            boolean turned = knobs.turned().contains(knob);
            rows.add(List.of(
                    knob.name(), now, !turned ? "left alone" : best.equals(now) ? "the same" : best, knob.help()));
        }
        return new Sheet(
                "Every knob: its value now, and in the best of the search",
                List.of("knob", "now", "best", "what it does"),
                rows);
    }

    private Candidate best() {
        return answer.candidates().get(0);
    }

    /** A picture for each knob. */
    private List<Plot> trials() {
        List<Plot> plots = new ArrayList<>();
        for (Param knob : knobs.turned()) {
            List<TrialsPlot.Point> points = answer.trials().stream()
                    .map(trial -> new TrialsPlot.Point(
                            Knobs.place(trial.policy(), knob),
                            trial.searched(),
                            role(trial.policy().text())))
                    .toList();
            plots.add(new TrialsPlot(
                    "trials-" + knob.name().replaceAll("[^A-Za-z0-9]+", "-"),
                    aim.label() + " by " + knob.name(),
                    "Each point is one setting on the jobs of the search; the other knobs differ as well. Lower is better; the level"
                            + " line is the present setting.",
                    knob.name() + (knob.kind() == Param.Kind.SECONDS ? " in seconds" : ""),
                    aim.label(),
                    knob.choices(),
                    value -> aim.seconds() ? Humane.time(value) : Scale.plain(value),
                    points));
        }
        return plots;
    }

    private Role role(String policy) {
        return policy.equals(answer.present().policy().text())
                ? Role.PRESENT
                : policy.equals(best().policy().text()) ? Role.BEST : Role.TRIED;
    }

    private List<Plot> distributions() {
        return List.of(
                distribution("completion", "Completion times", "from submission to end", JobResult::jctMillis),
                distribution("waiting", "Waiting", "time in the queue", JobResult::waitMillis));
    }

    private Plot distribution(String name, String title, String what, ToLongFunction<JobResult> figure) {
        List<CdfPlot.Line> lines = new ArrayList<>(List.of(line("now", answer.present(), figure)));
        if (role(best().policy().text()) == Role.BEST) {
            lines.add(line("best of the search", best(), figure));
        }
        return new CdfPlot(
                name,
                title + " of the jobs held out",
                "Before and after, on the same " + Humane.amount(answer.heldJobs(), "job")
                        + ". Further left is sooner.",
                what,
                lines);
    }

    private CdfPlot.Line line(String label, Candidate candidate, ToLongFunction<JobResult> figure) {
        return new CdfPlot.Line(
                label,
                Curve.of(candidate.jobs().stream()
                        .filter(aim::counts)
                        .mapToDouble(job -> figure.applyAsLong(job) / 1000.0)
                        .toArray()));
    }

    private String show(double value) {
        return aim.seconds() ? Fidelity.time(value) : Scale.plain(value);
    }
}
