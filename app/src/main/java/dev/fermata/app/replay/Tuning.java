package dev.fermata.app.replay;

import dev.fermata.core.measure.JobResult;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.sim.workload.Rng;
import java.util.ArrayList;
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
     */
    public record Candidate(PolicySpec policy, double searched, double held, HeldOut change) {}

    /**
     * The answer.
     *
     * @param candidates the best on the first part, best first; the first is the proposal
     * @param tried different settings, the present one included
     */
    public record Answer(
            Candidate present, List<Candidate> candidates, int tried, int searchedJobs, int heldJobs) {
        /** What is proposed, if anything is surely better than the present. */
        public Optional<Candidate> proposal() {
            return candidates.stream()
                    .findFirst()
                    .filter(best -> !best.policy().text().equals(present.policy().text()))
                    .filter(best -> best.change().high() < 0);
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
        Rng rng = Rng.stream(seed, 0);
        Knobs knobs = new Knobs(present);
        if (tried(present).isEmpty()) {
            return Optional.empty();
        }
        double[] best = new double[knobs.count()];
        double least = Double.POSITIVE_INFINITY;
        int made = 0;
        List<double[]> points = knobs.spread(Math.max(1, (int) Math.round(trials * SPREAD)), rng);
        double turn = FIRST_TURN;
        while (made < trials && knobs.count() > 0 && !late.getAsBoolean()) {
            double[] point = made < points.size() ? points.get(made) : turned(best, (made - points.size()) % (2 * knobs.count()), turn);
            if (made >= points.size() && (made - points.size()) % (2 * knobs.count()) == 2 * knobs.count() - 1) {
                turn /= 2;
            }
            Optional<Double> value = tried(knobs.at(point));
            if (value.isEmpty()) {
                return Optional.empty();
            }
            if (value.get() < least) {
                least = value.get();
                best = point;
            }
            made++;
            done.accept(made);
        }
        return judged(seed);
    }

    private static double[] turned(double[] point, int way, double turn) {
        double[] next = point.clone();
        int knob = way / 2;
        next[knob] = Math.max(0, Math.min(1, next[knob] + (way % 2 == 0 ? turn : -turn)));
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
        // at equal values what is there already, and then what was found first
        texts.sort(Comparator.comparingDouble(text -> found.getOrDefault(text, Double.MAX_VALUE)));
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
                found.size(),
                search.completed().size(),
                heldJobs()));
    }

    private Candidate candidate(PolicySpec policy, List<JobResult> now, List<JobResult> then, long seed) {
        return new Candidate(
                policy,
                found.getOrDefault(policy.text(), 0.0),
                objective.of(then),
                HeldOut.of(objective, now, then, Rng.stream(seed, 1)));
    }
}
