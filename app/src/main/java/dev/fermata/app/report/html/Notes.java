package dev.fermata.app.report.html;

import dev.fermata.app.report.Comparison;
import dev.fermata.app.run.Measured;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** What a reader must know to trust the figures, and how to read them. */
final class Notes {
    private Notes() {}

    static void write(Html html, Comparison comparison, List<String> remarks) {
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
                "Pauses in hindsight",
                "Delay of victims: from the pause until they made progress again, and work to repeat. Wait saved at most: how"
                        + " long the victims still ran (mean, weighted by GPUs), for so long the beneficiary would have waited for"
                        + " these very GPUs; other GPUs may have come free sooner. Both are completion time, so they can be"
                        + " compared. A decision paid when it saved more than it delayed.");
        html.close().close();
    }

    private static void term(Html html, String name, String text) {
        html.leaf("dt", name).leaf("dd", text);
    }

    private static Set<String> notes(Comparison comparison, List<String> remarks) {
        Set<String> notes = new LinkedHashSet<>();
        remarks.stream()
                .filter(remark -> !remark.isBlank())
                .forEach(remark -> notes.add("Workload: " + remark.strip() + "."));
        for (Measured run : comparison.runs()) {
            if (run.refusals().count() > 0) {
                notes.add(capital(run.refusals().message()) + ".");
            }
            if (run.result().rejectedActions() > 0) {
                notes.add("The guard refused " + run.result().rejectedActions() + " actions of policy "
                        + run.policy().text() + ": that is a bug in the policy.");
            }
        }
        if (comparison.runs().stream().anyMatch(Measured::clairvoyant)) {
            notes.add("* is told every run time in advance (estimator oracle), which nobody knows in real life.");
        }
        return notes;
    }

    private static String capital(String text) {
        return text.substring(0, 1).toUpperCase(java.util.Locale.ROOT) + text.substring(1);
    }
}
