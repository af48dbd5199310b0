package dev.fermata.research.jps;

import dev.fermata.core.policy.market.Clearing;
import dev.fermata.core.policy.market.Division;
import dev.fermata.core.policy.market.ExactMarket;
import dev.fermata.core.policy.market.Market;
import dev.fermata.core.policy.market.SampledMarket;
import dev.fermata.core.policy.market.SampledMarket.SamplingOptions;
import dev.fermata.sim.workload.JpsInstances;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Static placement problems of every size, each solved by JPS, by the baselines, and exactly.
 *
 * <p>Times are CPU times of the thread that solves: the machine may be busy with other units.
 */
final class JpsGrid {
    static final int[] JOBS = {2, 3, 4, 5, 6};
    static final int[] WORKERS = IntStream.rangeClosed(8, 24).toArray();
    static final int[] SAMPLES = {1, 5, 10, 20, 40, 80};
    static final double[] BETAS = {0, 0.25, 0.5, 0.75, 1};
    /** What the abstract describes and no more: a market in each of N categories drawn uniformly. */
    static final String PLAIN_SCHEME = "plain scheme: uniform categories, N=40, no trades";

    static final String EQUAL_SPLIT = "equal split, market inside";

    /** More than any instance here needs, so every optimum is proven. */
    private static final int EXACT_LIMIT = 20_000_000;

    /** JPS takes microseconds: one call is too short to be timed alone. */
    private static final int REPEATS = 10;

    private static final int WARM_UPS = 20_000;
    private static final int WARM_UP_SOLVES = 600;
    private static final SamplingOptions JPS = SamplingOptions.DEFAULT;

    /** A method to divide the workers. */
    record JpsVariant(String name, Function<Market, Division> place) {}

    /** One method on one instance: how far above the optimum, and how fair. */
    record JpsOutcome(double gap, double fairness) {}

    /**
     * CPU milliseconds on one instance.
     *
     * @param plain the dynamic programme alone
     * @param bounded the dynamic programme bounded by the division of JPS, which is part of the time
     * @param jps JPS
     */
    record SolveMillis(double plain, double bounded, double jps) {
        /** The faster of the two ways to the optimum. */
        double exact() {
            return Math.min(plain, bounded);
        }
    }

    /** One solved instance; results in the order of the methods. */
    record SolvedInstance(
            JpsInstances.InstanceClass instanceClass,
            int jobs,
            int workers,
            long seed,
            SolveMillis millis,
            JpsOutcome jps,
            List<JpsOutcome> outcomes) {}

    private JpsGrid() {}

    /** Everything but JPS itself. */
    static List<JpsVariant> variants() {
        List<JpsVariant> variants = new ArrayList<>();
        variants.add(variant(EQUAL_SPLIT, m -> SampledMarket.equalSplit(m, JPS)));
        variants.add(parameterVariant(PLAIN_SCHEME, 40, JPS.refreshes(), false));
        variants.add(variant("greedy centre alone", m -> SampledMarket.greedy(m, JPS)));
        variants.add(parameterVariant("worth = throughput, N=40, no trades", 40, 0, true));
        for (int n : SAMPLES) {
            variants.add(variant(
                    "N=" + n + ", no trades", m -> place(m, JPS.withSamples(n).withTrades(0))));
        }
        for (int n : SAMPLES) {
            variants.add(variant("N=" + n, m -> place(m, JPS.withSamples(n))));
        }
        variants.add(variant("market=auction", m -> place(m, JPS.withMethod(Clearing.ClearingMethod.AUCTION))));
        variants.add(variant("idle=false", m -> place(m, JPS.withIdle(false))));
        for (double beta : BETAS) {
            variants.add(variant(beta(beta), m -> place(m, JPS.withBeta(beta))));
        }
        return variants;
    }

    static String beta(double beta) {
        return "beta=" + beta;
    }

    private static JpsVariant variant(String name, Function<Market, Division> place) {
        return new JpsVariant(name, place);
    }

    private static JpsVariant parameterVariant(String name, int samples, int refreshes, boolean centred) {
        SamplingOptions knobs =
                new SamplingOptions(samples, JPS.alpha(), 0, JPS.idle(), JPS.method(), refreshes, centred, 0);
        return variant(name, m -> place(m, knobs));
    }

    private static Division place(Market market, SamplingOptions knobs) {
        return Objects.requireNonNull(SampledMarket.place(market, knobs)); // every job may run on every worker
    }

    private static Division plainOptimum(Market market) {
        return Objects.requireNonNull(ExactMarket.place(market, JPS.idle(), EXACT_LIMIT));
    }

    private static Division boundedOptimum(Market market) {
        return Objects.requireNonNull(ExactMarket.improve(market, place(market, JPS), JPS.idle(), EXACT_LIMIT));
    }

    /** Keeps the first calls of a method out of the timing. */
    static boolean warmUp() {
        List<Market> markets = new ArrayList<>();
        for (int i = 0; i < WARM_UP_SOLVES; i++) {
            int jobs = JOBS[i % JOBS.length];
            Market market = JpsInstances.draw(instanceClass(i), jobs, WORKERS[i % WORKERS.length], -i - 1L);
            markets.add(market);
            plainOptimum(market);
            boundedOptimum(market);
        }
        for (int i = 0; i < WARM_UPS; i++) {
            place(markets.get(i % markets.size()), JPS);
        }
        return true;
    }

    private static JpsInstances.InstanceClass instanceClass(int i) {
        JpsInstances.InstanceClass[] instanceClasses = JpsInstances.InstanceClass.values();
        return instanceClasses[i % instanceClasses.length];
    }

    /** All instance types and seeds of one size. */
    static List<SolvedInstance> solve(int jobs, int workers, List<Long> seeds, List<JpsVariant> variants) {
        List<SolvedInstance> solved = new ArrayList<>();
        for (JpsInstances.InstanceClass instanceClass : JpsInstances.InstanceClass.values()) {
            for (long seed : seeds) {
                Market market = JpsInstances.draw(instanceClass, jobs, workers, seed);
                solved.add(solve(market, instanceClass, seed, true, variants));
            }
        }
        return solved;
    }

    /** @param plain whether the dynamic programme is timed without bounds, too */
    static SolvedInstance solve(
            Market market,
            JpsInstances.InstanceClass instanceClass,
            long seed,
            boolean plain,
            List<JpsVariant> variants) {
        Division best = boundedOptimum(market);
        double plainMillis = plain ? millis(1, () -> plainOptimum(market)) : Double.POSITIVE_INFINITY;
        SolveMillis millis = new SolveMillis(plainMillis, millis(1, () -> boundedOptimum(market)), placeMillis(market));
        List<JpsOutcome> outcomes = variants.stream()
                .map(variant -> outcome(market, variant.place.apply(market), best))
                .toList();
        return new SolvedInstance(
                instanceClass,
                market.jobs(),
                market.workers(),
                seed,
                millis,
                outcome(market, place(market, JPS), best),
                outcomes);
    }

    private static JpsOutcome outcome(Market market, Division division, Division best) {
        return new JpsOutcome(division.meanSeconds() / best.meanSeconds() - 1, division.fairness(market));
    }

    /** CPU milliseconds of one placement. */
    static double placeMillis(Market market) {
        return millis(REPEATS, () -> place(market, JPS));
    }

    private static double millis(int repeats, Supplier<Division> solve) {
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        long begin = clock.getCurrentThreadCpuTime();
        for (int i = 0; i < repeats; i++) {
            Objects.requireNonNull(solve.get());
        }
        return (clock.getCurrentThreadCpuTime() - begin) / 1e6 / repeats;
    }
}
