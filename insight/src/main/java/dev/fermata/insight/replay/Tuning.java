package dev.fermata.insight.replay;

import dev.fermata.core.measure.JobResult;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.insight.format.HumanFormat;
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
 * Searches for better settings of a policy on a history. They are found on the jobs of its first part and evaluated on
 * the others, so that overfitted settings are not proposed. Points are spread over all settings first, then the best is
 * improved knob by knob with ever smaller changes. The same history, seed and number of evaluations give the same
 * result.
 */
public final class Tuning {
    /** Of the jobs, in the order of their submission, this share is for the search. */
    private static final double SEARCH_SHARE = 2 / 3.0;
    /** Of the evaluations, this share is spread over all settings. */
    private static final double EXPLORATION_SHARE = 0.6;

    private static final double FIRST_STEP = 0.25;
    private static final int CANDIDATES = 5;

    /**
     * One setting.
     *
     * @param searchValue the objective on the first part
     * @param heldOutValue the objective on the part that was held out
     * @param change of it against the present setting
     * @param jobs the jobs of that part
     */
    public record Candidate(
            PolicySpec policy, double searchValue, double heldOutValue, HeldOutChange change, List<JobResult> jobs) {}

    /** A setting and the objective on the first part. */
    public record PolicyEvaluation(PolicySpec policy, double searchValue) {}

    /**
     * The result.
     *
     * @param candidates the best on the first part, best first; the first is the proposal
     * @param evaluations different settings, the present one included, in their order
     */
    public record TuningResult(
            Candidate present,
            List<Candidate> candidates,
            List<PolicyEvaluation> evaluations,
            int searchJobs,
            int heldOutJobs) {
        /** The candidates that differ from the present. */
        public List<Candidate> others() {
            return candidates.stream()
                    .filter(c -> !c.policy().text().equals(present.policy().text()))
                    .toList();
        }

        /** The proposal, if a candidate is significantly better than the present setting. */
        public Optional<Candidate> proposal() {
            return candidates.stream()
                    .findFirst()
                    .filter(best ->
                            !best.policy().text().equals(present.policy().text()))
                    .filter(best -> best.change().high() < 0);
        }

        /** The result in a sentence. */
        public String describe(Objective aim) {
            return proposal()
                    .map(best ->
                            "Proposed: --policy '" + best.policy().text() + "', expected change of " + aim.label() + " "
                                    + HumanFormat.change(best.change().change())
                                    + ". Nothing was changed: start the daemon with it to use it.")
                    .orElse("No setting is surely better than what you have ("
                            + present.policy().text()
                            + "): on the jobs that were held out the best of the search gains nothing beyond chance.");
        }
    }

    private final ReplayWindow search;
    private final ReplayWindow heldOut;
    private final PolicySpec present;
    private final String estimator;
    private final Objective objective;
    private final BooleanSupplier stop;
    private final Map<String, Double> objectives = new LinkedHashMap<>();
    private final Map<String, PolicySpec> policies = new LinkedHashMap<>();

    public Tuning(
            ReplayWindow window, PolicySpec present, String estimator, Objective objective, BooleanSupplier stop) {
        List<Long> ids = List.copyOf(window.measured());
        int split = (int) Math.round(ids.size() * SEARCH_SHARE);
        this.search = window.until(ids.subList(0, split));
        this.heldOut = window.measuringOnly(ids.subList(split, ids.size()));
        this.present = present;
        this.estimator = estimator;
        this.objective = objective;
        this.stop = stop;
    }

    /** Jobs in the part that was held out. */
    public int heldOutJobs() {
        return heldOut.completed().size();
    }

    /**
     * Empty when it was stopped.
     *
     * @param late whether to try no further setting
     */
    public Optional<TuningResult> run(int trials, long seed, IntConsumer done, BooleanSupplier late) {
        ParameterSpace space = new ParameterSpace(present);
        Optional<Double> now = evaluate(present);
        if (now.isEmpty()) {
            return Optional.empty();
        }
        BestPoint best = new BestPoint(space, now.get());
        List<double[]> points =
                space.latinHypercube(Math.max(1, (int) Math.round(trials * EXPLORATION_SHARE)), Rng.stream(seed, 0));
        int ways = 2 * space.count();
        for (int made = 0; made < trials && ways > 0 && !late.getAsBoolean(); made++) {
            int refinement = made - points.size();
            double[] point = refinement < 0
                    ? points.get(made)
                    : moved(best.point, refinement % ways, FIRST_STEP / (1L << Math.min(30, refinement / ways)));
            if (!best.tryPoint(point, false)) {
                return Optional.empty();
            }
            done.accept(made + 1);
        }
        // Knobs that change nothing go back to where they were: a proposal names only what matters.
        for (int parameter = 0; parameter < space.count(); parameter++) {
            double[] simpler = best.point.clone();
            simpler[parameter] = ParameterSpace.UNCHANGED;
            if (!best.tryPoint(simpler, true)) {
                return Optional.empty();
            }
        }
        return judgeCandidates(seed);
    }

    /** The best point so far. */
    private final class BestPoint {
        private final ParameterSpace space;
        private double[] point;
        private double bestValue;

        BestPoint(ParameterSpace space, double now) {
            this.space = space;
            this.bestValue = now;
            this.point = new double[space.count()];
            Arrays.fill(point, ParameterSpace.UNCHANGED);
        }

        /** Tries another and keeps the better; false when it was stopped. */
        boolean tryPoint(double[] other, boolean asGoodWillDo) {
            Optional<PolicySpec> policy = space.policyAt(other);
            if (policy.isEmpty()) {
                return true;
            }
            Optional<Double> value = evaluate(policy.get());
            if (value.isPresent() && (value.get() < bestValue || (asGoodWillDo && value.get() <= bestValue))) {
                bestValue = value.get();
                point = other;
            }
            return value.isPresent();
        }
    }

    private static double[] moved(double[] point, int way, double turn) {
        double[] next = point.clone();
        int parameter = way / 2;
        double from = Double.isNaN(next[parameter]) ? 0.5 : next[parameter]; // about where the present value is
        next[parameter] = Math.max(0, Math.min(1, from + (way % 2 == 0 ? turn : -turn)));
        return next;
    }

    /** The objective on the first part; settings that are written alike are tried once. */
    private Optional<Double> evaluate(PolicySpec policy) {
        Double known = objectives.get(policy.text());
        if (known != null) {
            return Optional.of(known);
        }
        Optional<List<JobResult>> jobs = run(search, policy);
        jobs.ifPresent(results -> {
            objectives.put(policy.text(), objective.of(results));
            policies.put(policy.text(), policy);
        });
        return Optional.ofNullable(objectives.get(policy.text()));
    }

    private Optional<List<JobResult>> run(ReplayWindow window, PolicySpec policy) {
        return new ReplayRunner(window, List.of(policy), Optional.empty(), stop)
                .replay(policy, estimator, () -> {})
                .map(run -> run.result().jobs());
    }

    private Optional<TuningResult> judgeCandidates(long seed) {
        List<String> texts = new ArrayList<>(objectives.keySet());
        // at equal values the present one, then the shortest
        texts.sort(Comparator.<String>comparingDouble(text -> objectives.getOrDefault(text, Double.MAX_VALUE))
                .thenComparing(text -> !text.equals(present.text()))
                .thenComparing(String::length)
                .thenComparing(Comparator.naturalOrder()));
        Optional<List<JobResult>> now = run(heldOut, present);
        if (now.isEmpty()) {
            return Optional.empty();
        }
        List<Candidate> candidates = new ArrayList<>();
        for (String text : texts.subList(0, Math.min(CANDIDATES, texts.size()))) {
            PolicySpec policy = policies.getOrDefault(text, present);
            Optional<List<JobResult>> then = run(heldOut, policy);
            if (then.isEmpty()) {
                return Optional.empty();
            }
            candidates.add(candidate(policy, now.get(), then.get(), seed));
        }
        return Optional.of(new TuningResult(
                candidate(present, now.get(), now.get(), seed),
                candidates,
                objectives.entrySet().stream()
                        .map(one -> new PolicyEvaluation(policies.getOrDefault(one.getKey(), present), one.getValue()))
                        .toList(),
                search.completed().size(),
                heldOutJobs()));
    }

    private Candidate candidate(PolicySpec policy, List<JobResult> now, List<JobResult> then, long seed) {
        return new Candidate(
                policy,
                objectives.getOrDefault(policy.text(), 0.0),
                objective.of(then),
                HeldOutChange.of(objective, now, then, Rng.stream(seed, 1)),
                then);
    }
}
