package dev.fermata.app.input;

import dev.fermata.core.policy.Suggest;
import dev.fermata.core.text.Quantity;
import dev.fermata.sim.workload.TrueJob;
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
public final class Selection {
    private static final Pattern CONDITION = Pattern.compile("([a-z]+)(<=|=)(.+)");
    private static final List<String> KEYS = List.of("first", "from", "to", "gpus<", "vc");

    private final String text;
    private final double speedup;
    private final List<Predicate<TrueJob>> conditions = new ArrayList<>();
    private long first = Long.MAX_VALUE;

    private Selection(String text, double speedup) {
        this.text = text;
        this.speedup = speedup;
    }

    /** An empty text selects everything. */
    public static Selection parse(String text, String speedup) {
        Selection selection = new Selection(text, Quantity.number("--speedup", speedup, 1e-6, 1e9));
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
            throw Quantity.wrong("--select", part, "must be first=N, from=T, to=T, gpus<=N or vc=NAME");
        }
        String key = m.group(1) + (m.group(2).equals("<=") ? "<" : "");
        String value = m.group(3);
        String what = "--select " + m.group(1);
        switch (key) {
            case "first" -> first = Quantity.whole(what, value, 1, Integer.MAX_VALUE);
            case "from" -> {
                long from = Quantity.millis(what, value);
                conditions.add(job -> job.submitMillis() >= from);
            }
            case "to" -> {
                long to = Quantity.millis(what, value);
                conditions.add(job -> job.submitMillis() < to);
            }
            case "gpus<" -> {
                long most = Quantity.whole(what, value, 1, Integer.MAX_VALUE);
                conditions.add(job -> job.job().demand().maxGpus() <= most);
            }
            case "vc" -> conditions.add(job -> job.job().queue().equals(value));
            default ->
                throw new IllegalArgumentException("--select has no condition '" + part + "'."
                        + Suggest.among(key, KEYS).replace("gpus<", "gpus<="));
        }
    }

    public boolean everything() {
        return text.isEmpty() && speedup == 1;
    }

    public Workload apply(Workload workload) {
        if (everything()) {
            return workload;
        }
        List<TrueJob> chosen = workload.jobs().stream()
                .filter(job -> conditions.stream().allMatch(c -> c.test(job)))
                .limit(first)
                .map(this::faster)
                .toList();
        if (chosen.isEmpty()) {
            throw Quantity.wrong(
                    "--select", text, "chooses none of the " + workload.jobs().size() + " jobs of " + workload.name());
        }
        String name = workload.name()
                + (text.isEmpty() ? "" : " [" + text + "]")
                + (speedup == 1 ? "" : " [speedup=" + speedup + "]");
        return new Workload(name, chosen);
    }

    private TrueJob faster(TrueJob job) {
        return new TrueJob(
                job.job(),
                Math.round(job.submitMillis() / speedup),
                job.durationMillis(),
                job.peakMemoryMib(),
                job.costs());
    }
}
