package dev.fermata.research.jps;

import dev.fermata.core.policy.market.Clearing;
import dev.fermata.core.policy.market.Division;
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
    /** JPS takes microseconds: one call is too short to be timed alone. */
    private static final int REPEATS = 10;

    private static final int WARM_UPS = 20_000;
    private static final int WARM_UP_SOLVES = 60;
    private static final SamplingOptions JPS = SamplingOptions.DEFAULT;

    /** A method to divide the workers. */
    record JpsVariant(String name, Function<Market, Division> place) {}

    /** One method on one instance: how far above the optimum, and how fair. */
    record JpsOutcome(double gap, double fairness) {}

    /** One solved instance; results in the order of the methods. */
    record SolvedInstance(
            JpsInstances.InstanceClass instanceClass,
            int jobs,
            int workers,
            long seed,
            double solverMillis,
            double placeMillis,
            JpsOutcome jps,
            List<JpsOutcome> outcomes) {}

    private JpsGrid() {}

    /** Everything but JPS itself. */
    static List<JpsVariant> variants() {
        List<JpsVariant> variants = new ArrayList<>();
        variants.add(variant("equal split, market inside", m -> SampledMarket.equalSplit(m, JPS)));
        variants.add(variant("greedy centre alone", m -> SampledMarket.greedy(m, JPS)));
        variants.add(parameterVariant("worth = throughput, N=40, no trades", 40, 0, true));
        variants.add(parameterVariant("uniform categories, N=40, no trades", 40, JPS.refreshes(), false));
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
            variants.add(variant("beta=" + beta, m -> place(m, JPS.withBeta(beta))));
        }
        return variants;
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

    /** Keeps the first calls of a method out of the timing. */
    static boolean warmUp() {
        List<Market> markets = new ArrayList<>();
        for (int i = 0; i < WARM_UP_SOLVES; i++) {
            int jobs = JOBS[i % JOBS.length];
            Market market = JpsInstances.draw(instanceClass(i), jobs, WORKERS[i % WORKERS.length], -i - 1L);
            markets.add(market);
            ExactSolver.meanSeconds(market, JPS.idle());
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
                solved.add(solve(instanceClass, jobs, workers, seed, variants));
            }
        }
        return solved;
    }

    private static SolvedInstance solve(
            JpsInstances.InstanceClass instanceClass, int jobs, int workers, long seed, List<JpsVariant> variants) {
        Market market = JpsInstances.draw(instanceClass, jobs, workers, seed);
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        long begin = clock.getCurrentThreadCpuTime();
        double optimum = ExactSolver.meanSeconds(market, JPS.idle());
        long solver = clock.getCurrentThreadCpuTime() - begin;
        Division division = place(market, JPS);
        double placed = placeMillis(market);
        List<JpsOutcome> outcomes = variants.stream()
                .map(variant -> outcome(market, variant.place.apply(market), optimum))
                .toList();
        return new SolvedInstance(
                instanceClass, jobs, workers, seed, solver / 1e6, placed, outcome(market, division, optimum), outcomes);
    }

    private static JpsOutcome outcome(Market market, Division division, double optimum) {
        return new JpsOutcome(division.meanSeconds() / optimum - 1, division.fairness(market));
    }

    /** CPU milliseconds of one placement. */
    static double placeMillis(Market market) {
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        long begin = clock.getCurrentThreadCpuTime();
        IntStream.range(0, REPEATS).forEach(i -> place(market, JPS));
        return (clock.getCurrentThreadCpuTime() - begin) / 1e6 / REPEATS;
    }
}
