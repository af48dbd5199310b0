package dev.fermata.app.replay;

import dev.fermata.app.output.Humane;
import dev.fermata.core.measure.JobResult;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.sim.workload.Rng;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/**
 * Looks for better settings of a policy on a history: found on the jobs of its first part, judged on the others, so that what only
 * fits the past by chance is not proposed. Points are spread over all settings first, then the best is improved knob by knob with
 * ever smaller turns. The same history, seed and number of trials give the same answer.
 */
public final class Tuning {
    /** Of the jobs, in the order of their submission, this share is for the search. */
    private static final double FOR_SEARCH = 2 / 3.0;
    /** Of the trials, this share is spread over all settings. */
    private static final double SPREAD = 0.6;

    private static final double FIRST_TURN = 0.25;
    private static final int SHOWN = 5;

    /**
     * One setting.
     *
     * @param searched the objective on the first part
     * @param held the objective on the part that was held out
     * @param change of it against the present setting
     * @param jobs the jobs of that part
     */
    public record Candidate(PolicySpec policy, double searched, double held, HeldOut change, List<JobResult> jobs) {}

    /** A setting and the objective on the first part. */
    public record Trial(PolicySpec policy, double searched) {}

    /**
     * The answer.
     *
     * @param candidates the best on the first part, best first; the first is the proposal
     * @param trials different settings, the present one included, in their order
     */
    public record Answer(
            Candidate present, List<Candidate> candidates, List<Trial> trials, int searchedJobs, int heldJobs) {
        /** The candidates that differ from the present. */
        public List<Candidate> others() {
            return candidates.stream()
                    .filter(c -> !c.policy().text().equals(present.policy().text()))
                    .toList();
        }

        /** What is proposed, if anything is surely better than the present. */
        public Optional<Candidate> proposal() {
            return candidates.stream()
                    .findFirst()
                    .filter(best ->
                            !best.policy().text().equals(present.policy().text()))
                    .filter(best -> best.change().high() < 0);
        }

        /** The answer in a sentence. */
        public String words(Objective aim) {
            return proposal()
                    .map(best ->
                            "Proposed: --policy '" + best.policy().text() + "', expected change of " + aim.label() + " "
                                    + Humane.change(best.change().change())
                                    + ". Nothing was changed: start the daemon with it to use it.")
                    .orElse("No setting is surely better than what you have ("
                            + present.policy().text()
                            + "): on the jobs that were held out the best of the search gains nothing beyond chance.");
        }
    }

    private final Episode search;
    private final Episode judge;
    private final PolicySpec present;
    private final String estimator;
    private final Objective objective;
    private final BooleanSupplier stop;
    private final Map<String, Double> found = new LinkedHashMap<>();
    private final Map<String, PolicySpec> policies = new LinkedHashMap<>();

    public Tuning(Episode episode, PolicySpec present, String estimator, Objective objective, BooleanSupplier stop) {
        List<Long> ids = List.copyOf(episode.measured());
        int split = (int) Math.round(ids.size() * FOR_SEARCH);
        this.search = episode.upTo(ids.subList(0, split));
        this.judge = episode.measuring(ids.subList(split, ids.size()));
        this.present = present;
        this.estimator = estimator;
        this.objective = objective;
        this.stop = stop;
    }

    /** Jobs to judge by, on the part that was held out. */
    public int heldJobs() {
        return judge.completed().size();
    }

    /**
     * Empty when it was told to stop.
     *
     * @param late whether no further setting is to be tried
     */
    public Optional<Answer> run(int trials, long seed, IntConsumer done, BooleanSupplier late) {
        Knobs knobs = new Knobs(present);
        Optional<Double> now = tried(present);
        if (now.isEmpty()) {
            return Optional.empty();
        }
        Best best = new Best(knobs, now.get());
        List<double[]> points = knobs.spread(Math.max(1, (int) Math.round(trials * SPREAD)), Rng.stream(seed, 0));
        int ways = 2 * knobs.count();
        for (int made = 0; made < trials && ways > 0 && !late.getAsBoolean(); made++) {
            int refinement = made - points.size();
            double[] point = refinement < 0
                    ? points.get(made)
                    : turned(best.point, refinement % ways, FIRST_TURN / (1L << Math.min(30, refinement / ways)));
            if (!best.meet(point, false)) {
                return Optional.empty();
            }
            done.accept(made + 1);
        }
        // Knobs that change nothing go back to where they were: a proposal names only what matters.
        for (int knob = 0; knob < knobs.count(); knob++) {
            double[] simpler = best.point.clone();
            simpler[knob] = Knobs.AS_IT_IS;
            if (!best.meet(simpler, true)) {
                return Optional.empty();
            }
        }
        return judged(seed);
    }

    /** The best point so far. */
    private final class Best {
        private final Knobs knobs;
        private double[] point;
        private double least;

        Best(Knobs knobs, double now) {
            this.knobs = knobs;
            this.least = now;
            this.point = new double[knobs.count()];
            Arrays.fill(point, Knobs.AS_IT_IS);
        }

        /** Tries another and keeps the better; false when it was told to stop. */
        boolean meet(double[] other, boolean asGoodWillDo) {
            Optional<PolicySpec> policy = knobs.at(other);
            if (policy.isEmpty()) {
                return true;
            }
            Optional<Double> value = tried(policy.get());
            if (value.isPresent() && (value.get() < least || (asGoodWillDo && value.get() <= least))) {
                least = value.get();
                point = other;
            }
            return value.isPresent();
        }
    }

    private static double[] turned(double[] point, int way, double turn) {
        double[] next = point.clone();
        int knob = way / 2;
        double from = Double.isNaN(next[knob]) ? 0.5 : next[knob]; // about where the present value is
        next[knob] = Math.max(0, Math.min(1, from + (way % 2 == 0 ? turn : -turn)));
        return next;
    }

    /** The objective on the first part; settings that are written alike are tried once. */
    private Optional<Double> tried(PolicySpec policy) {
        Double known = found.get(policy.text());
        if (known != null) {
            return Optional.of(known);
        }
        Optional<List<JobResult>> jobs = run(search, policy);
        jobs.ifPresent(results -> {
            found.put(policy.text(), objective.of(results));
            policies.put(policy.text(), policy);
        });
        return Optional.ofNullable(found.get(policy.text()));
    }

    private Optional<List<JobResult>> run(Episode episode, PolicySpec policy) {
        return new Rerun(episode, List.of(policy), Optional.empty(), stop)
                .under(policy, estimator, () -> {})
                .map(run -> run.result().jobs());
    }

    private Optional<Answer> judged(long seed) {
        List<String> texts = new ArrayList<>(found.keySet());
        // at equal values the present one, then what says least
        texts.sort(Comparator.<String>comparingDouble(text -> found.getOrDefault(text, Double.MAX_VALUE))
                .thenComparing(text -> !text.equals(present.text()))
                .thenComparing(String::length)
                .thenComparing(Comparator.naturalOrder()));
        Optional<List<JobResult>> now = run(judge, present);
        if (now.isEmpty()) {
            return Optional.empty();
        }
        List<Candidate> candidates = new ArrayList<>();
        for (String text : texts.subList(0, Math.min(SHOWN, texts.size()))) {
            PolicySpec policy = policies.getOrDefault(text, present);
            Optional<List<JobResult>> then = run(judge, policy);
            if (then.isEmpty()) {
                return Optional.empty();
            }
            candidates.add(candidate(policy, now.get(), then.get(), seed));
        }
        return Optional.of(new Answer(
                candidate(present, now.get(), now.get(), seed),
                candidates,
                found.entrySet().stream()
                        .map(one -> new Trial(policies.getOrDefault(one.getKey(), present), one.getValue()))
                        .toList(),
                search.completed().size(),
                heldJobs()));
    }

    private Candidate candidate(PolicySpec policy, List<JobResult> now, List<JobResult> then, long seed) {
        return new Candidate(
                policy,
                found.getOrDefault(policy.text(), 0.0),
                objective.of(then),
                HeldOut.of(objective, now, then, Rng.stream(seed, 1)),
                then);
    }
}
