package dev.fermata.cli.demo;

import dev.fermata.insight.format.HumanFormat;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

/** The summary at the end of the demo. */
record DemoSummary(List<String> lines, boolean passed) {

    static DemoSummary of(Collection<ObservedJob> jobs) {
        List<ObservedJob> trials = filter(jobs, observed -> observed.job.trial());
        List<ObservedJob> batches = filter(jobs, observed -> !observed.job.trial());
        List<ObservedJob> checked = filter(batches, observed -> observed.pauses > 0 && observed.completed());
        List<ObservedJob> different = filter(checked, observed -> !observed.sameAsUnpaused());
        List<String> lines = new ArrayList<>();
        lines.add("trials  " + doneText(trials) + waitText(trials));
        lines.add("batch   " + doneText(batches) + pauseText(batches));
        if (!checked.isEmpty()) {
            lines.add("check   " + lossText(checked, different));
        }
        return new DemoSummary(lines, different.isEmpty());
    }

    private static List<ObservedJob> filter(Collection<ObservedJob> jobs, Predicate<ObservedJob> which) {
        return jobs.stream().filter(which).toList();
    }

    private static String doneText(List<ObservedJob> jobs) {
        return filter(jobs, ObservedJob::completed).size() + " of " + jobs.size() + " done";
    }

    private static String waitText(List<ObservedJob> trials) {
        double[] waits = trials.stream()
                .mapToDouble(ObservedJob::waitedSeconds)
                .filter(wait -> !Double.isNaN(wait))
                .sorted()
                .toArray();
        return waits.length == 0
                ? ""
                : "; they waited " + HumanFormat.time(waits[waits.length / 2]) + " in the median, "
                        + HumanFormat.time(waits[waits.length - 1]) + " at most";
    }

    private static String pauseText(List<ObservedJob> batches) {
        int pauses = batches.stream().mapToInt(observed -> observed.pauses).sum();
        double seconds =
                batches.stream().mapToDouble(observed -> observed.pauseSeconds).sum();
        return pauses == 0
                ? "; none was paused"
                : "; " + HumanFormat.amount(pauses, "pause") + " of "
                        + HumanFormat.amount(filter(batches, s -> s.pauses > 0).size(), "job") + ", "
                        + HumanFormat.time(seconds / pauses) + " each";
    }

    private static String lossText(List<ObservedJob> checked, List<ObservedJob> different) {
        if (different.isEmpty()) {
            return checked.size() == 1
                    ? "1 paused job is done, with the same final loss as unpaused, to the last digit"
                    : checked.size()
                            + " paused jobs are done, each with the same final loss as unpaused, to the last digit";
        }
        return "DIFFERENT from unpaused: "
                + String.join(", ", different.stream().map(ObservedJob::name).toList());
    }
}
