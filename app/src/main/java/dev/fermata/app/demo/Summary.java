package dev.fermata.app.demo;

import dev.fermata.app.output.Humane;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

/** What came of it, for the end. */
record Summary(List<String> lines, boolean good) {

    static Summary of(Collection<Seen> jobs) {
        List<Seen> trials = only(jobs, seen -> seen.job.trial());
        List<Seen> batches = only(jobs, seen -> !seen.job.trial());
        List<Seen> checked = only(batches, seen -> seen.pauses > 0 && seen.completed());
        List<Seen> different = only(checked, seen -> !seen.sameAsUnpaused());
        List<String> lines = new ArrayList<>();
        lines.add("trials  " + done(trials) + waits(trials));
        lines.add("batch   " + done(batches) + pauses(batches));
        if (!checked.isEmpty()) {
            lines.add("check   " + verdict(checked, different));
        }
        return new Summary(lines, different.isEmpty());
    }

    private static List<Seen> only(Collection<Seen> jobs, Predicate<Seen> which) {
        return jobs.stream().filter(which).toList();
    }

    private static String done(List<Seen> jobs) {
        return only(jobs, Seen::completed).size() + " of " + jobs.size() + " done";
    }

    private static String waits(List<Seen> trials) {
        double[] waits = trials.stream()
                .mapToDouble(Seen::waitedSeconds)
                .filter(wait -> !Double.isNaN(wait))
                .sorted()
                .toArray();
        return waits.length == 0
                ? ""
                : "; they waited " + Humane.time(waits[waits.length / 2]) + " in the median, "
                        + Humane.time(waits[waits.length - 1]) + " at most";
    }

    private static String pauses(List<Seen> batches) {
        int pauses = batches.stream().mapToInt(seen -> seen.pauses).sum();
        double seconds = batches.stream().mapToDouble(seen -> seen.pauseSeconds).sum();
        return pauses == 0
                ? "; nobody was paused"
                : "; " + Humane.amount(pauses, "pause") + " of "
                        + Humane.amount(only(batches, s -> s.pauses > 0).size(), "job") + ", "
                        + Humane.time(seconds / pauses) + " each";
    }

    private static String verdict(List<Seen> checked, List<Seen> different) {
        if (different.isEmpty()) {
            return checked.size() == 1
                    ? "1 paused job is done, with the same final loss as unpaused, to the last digit"
                    : checked.size()
                            + " paused jobs are done, each with the same final loss as unpaused, to the last digit";
        }
        return "DIFFERENT from unpaused: "
                + String.join(", ", different.stream().map(Seen::name).toList());
    }
}
