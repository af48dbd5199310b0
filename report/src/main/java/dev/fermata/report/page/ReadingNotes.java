package dev.fermata.report.page;

import dev.fermata.insight.experiment.MeasuredRun;
import dev.fermata.report.comparison.Comparison;
import dev.fermata.report.html.HtmlWriter;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The notes of a report: how to read the figures, and their limits. */
final class ReadingNotes {
    private ReadingNotes() {}

    static void write(HtmlWriter html, Comparison comparison, List<String> remarks) {
        html.open("section", "id", "notes").leaf("h2", "Notes").open("ul", "class", "notes");
        for (String note : notes(comparison, remarks)) {
            html.leaf("li", note);
        }
        html.close().open("dl", "class", "legend");
        term(
                html,
                "Figures",
                "JCT: from submission to end, over completed jobs. Wait: time in the queue; loading and pausing are overhead."
                        + " Slowdown: 1 + wait ÷ run time. Fairness: Jain’s index of JCT ÷ run time, 1 when all are delayed alike."
                        + (comparison.seeds().size() > 1
                                ? " Means over the seeds; behind ± half of the 95 % confidence interval (Student’s t)."
                                        + " Changes are taken seed by seed, on the same jobs."
                                : ""));
        term(
                html,
                "Bound",
                "The lower bound is a mean JCT that no schedule can beat on this workload and cluster; “above bound” is"
                        + " the distance to it.");
        term(
                html,
                "Outcome of pauses",
                "Delay of victims: from the pause until they made progress again, and work to repeat. Wait saved at most: how"
                        + " long the victims still ran (mean, weighted by GPUs). The beneficiary would have waited that long for"
                        + " these GPUs; others may have become free earlier. Both are completion time, so they can be"
                        + " compared. A decision paid when it saved more than it delayed.");
        html.close().close();
    }

    private static void term(HtmlWriter html, String name, String text) {
        html.leaf("dt", name).leaf("dd", text);
    }

    private static Set<String> notes(Comparison comparison, List<String> remarks) {
        Set<String> notes = new LinkedHashSet<>();
        remarks.stream()
                .filter(remark -> !remark.isBlank())
                .forEach(remark -> notes.add("Workload: " + remark.strip() + "."));
        for (MeasuredRun run : comparison.runs()) {
            if (run.infeasible().count() > 0) {
                notes.add(capitalize(run.infeasible().message()) + ".");
            }
            if (run.result().rejectedActions() > 0) {
                notes.add("The plan guard rejected actions (" + run.result().rejectedActions() + ") of policy "
                        + run.policy().text() + ": that is a bug in the policy.");
            }
        }
        if (comparison.runs().stream().anyMatch(MeasuredRun::isClairvoyant)) {
            notes.add("* knows every run time in advance (estimator oracle), which is unknown in real life.");
        }
        return notes;
    }

    private static String capitalize(String text) {
        return text.substring(0, 1).toUpperCase(java.util.Locale.ROOT) + text.substring(1);
    }
}
