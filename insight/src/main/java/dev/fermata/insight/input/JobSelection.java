package dev.fermata.insight.input;

import dev.fermata.core.policy.Suggestion;
import dev.fermata.core.text.Quantity;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The part of a workload to run, {@code first=1000}, {@code from=0s,to=2d}, {@code gpus<=64}, {@code vc=NAME}, joined by
 * commas; and how much faster its jobs arrive. Conditions hold together; {@code first} counts what the others leave.
 */
public final class JobSelection {
    private static final Pattern CONDITION = Pattern.compile("([a-z]+)(<=|=)(.+)");
    private static final List<String> KEYS = List.of("first", "from", "to", "gpus<", "vc");

    private final String text;
    private final double speedup;
    private final List<Predicate<SimulatedJob>> conditions = new ArrayList<>();
    private long first = Long.MAX_VALUE;

    private JobSelection(String text, double speedup) {
        this.text = text;
        this.speedup = speedup;
    }

    /** An empty text selects everything. */
    public static JobSelection parse(String text, String speedup) {
        JobSelection selection = new JobSelection(text, Quantity.number("--speedup", speedup, 1e-6, 1e9));
        if (!text.isEmpty()) {
            for (String part : text.split(",", -1)) {
                selection.add(part.strip());
            }
        }
        return selection;
    }

    private void add(String part) {
        Matcher m = CONDITION.matcher(part);
        if (!m.matches()) {
            throw Quantity.invalid("--select", part, "must be first=N, from=T, to=T, gpus<=N or vc=NAME");
        }
        String key = m.group(1) + (m.group(2).equals("<=") ? "<" : "");
        String value = m.group(3);
        String what = "--select " + m.group(1);
        switch (key) {
            case "first" -> first = Quantity.integer(what, value, 1, Integer.MAX_VALUE);
            case "from" -> {
                long from = Quantity.millis(what, value);
                conditions.add(job -> job.submitMillis() >= from);
            }
            case "to" -> {
                long to = Quantity.millis(what, value);
                conditions.add(job -> job.submitMillis() < to);
            }
            case "gpus<" -> {
                long max = Quantity.integer(what, value, 1, Integer.MAX_VALUE);
                conditions.add(job -> job.job().demand().maxGpus() <= max);
            }
            case "vc" -> conditions.add(job -> job.job().queue().equals(value));
            default ->
                throw new IllegalArgumentException("--select has no condition '" + part + "'."
                        + Suggestion.didYouMean(key, KEYS).replace("gpus<", "gpus<="));
        }
    }

    public boolean selectsEverything() {
        return text.isEmpty() && speedup == 1;
    }

    public Workload apply(Workload workload) {
        if (selectsEverything()) {
            return workload;
        }
        List<SimulatedJob> chosen = workload.jobs().stream()
                .filter(job -> conditions.stream().allMatch(c -> c.test(job)))
                .limit(first)
                .map(this::compressArrival)
                .toList();
        if (chosen.isEmpty()) {
            throw Quantity.invalid(
                    "--select", text, "chooses none of the " + workload.jobs().size() + " jobs of " + workload.name());
        }
        String name = workload.name()
                + (text.isEmpty() ? "" : " [" + text + "]")
                + (speedup == 1 ? "" : " [speedup=" + speedup + "]");
        return new Workload(name, chosen);
    }

    private SimulatedJob compressArrival(SimulatedJob job) {
        return new SimulatedJob(
                job.job(),
                Math.round(job.submitMillis() / speedup),
                job.durationMillis(),
                job.peakMemoryMib(),
                job.costs());
    }
}
