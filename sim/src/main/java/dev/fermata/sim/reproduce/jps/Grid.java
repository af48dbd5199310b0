package dev.fermata.sim.reproduce.jps;

import dev.fermata.core.policy.market.Clearing;
import dev.fermata.core.policy.market.Division;
import dev.fermata.core.policy.market.Market;
import dev.fermata.core.policy.market.SampledMarket;
import dev.fermata.core.policy.market.SampledMarket.Knobs;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Static placement problems of every size, each solved by JPS, by what it is compared with, and exactly.
 *
 * <p>Times are CPU times of the thread that solves: the machine may be busy with other pieces.
 */
final class Grid {
    static final int[] JOBS = {2, 3, 4, 5, 6};
    static final int[] WORKERS = IntStream.rangeClosed(8, 24).toArray();
    static final int[] SAMPLES = {1, 5, 10, 20, 40, 80};
    static final double[] BETAS = {0, 0.25, 0.5, 0.75, 1};
    /** JPS is over in microseconds: one call is too short to be timed alone. */
    private static final int REPEATS = 10;

    private static final int WARM_UPS = 20_000;
    private static final int WARM_UP_SOLVES = 60;
    private static final Knobs JPS = Knobs.DEFAULT;

    /** A way to divide the workers. */
    record Way(String name, Function<Market, Division> place) {}

    /** One way on one instance: how far above the optimum, and how fair. */
    record Outcome(double gap, double fairness) {}

    /** One instance, solved; outcomes in the order of the ways. */
    record Solved(
            Instances.Kind kind,
            int jobs,
            int workers,
            long seed,
            double solverMillis,
            double placeMillis,
            Outcome jps,
            List<Outcome> outcomes) {}

    private Grid() {}

    /** Everything but JPS itself. */
    static List<Way> ways() {
        List<Way> ways = new ArrayList<>();
        ways.add(way("equal split, market inside", m -> SampledMarket.equalSplit(m, JPS)));
        ways.add(way("greedy centre alone", m -> SampledMarket.greedy(m, JPS)));
        ways.add(knobs("worth = throughput, N=40, no trades", 40, 0, true));
        ways.add(knobs("uniform categories, N=40, no trades", 40, JPS.refreshes(), false));
        for (int n : SAMPLES) {
            ways.add(way(
                    "N=" + n + ", no trades", m -> place(m, JPS.withSamples(n).withTrades(0))));
        }
        for (int n : SAMPLES) {
            ways.add(way("N=" + n, m -> place(m, JPS.withSamples(n))));
        }
        ways.add(way("market=auction", m -> place(m, JPS.withWay(Clearing.Way.AUCTION))));
        ways.add(way("idle=false", m -> place(m, JPS.withIdle(false))));
        for (double beta : BETAS) {
            ways.add(way("beta=" + beta, m -> place(m, JPS.withBeta(beta))));
        }
        return ways;
    }

    private static Way way(String name, Function<Market, Division> place) {
        return new Way(name, place);
    }

    private static Way knobs(String name, int samples, int refreshes, boolean centred) {
        Knobs knobs = new Knobs(samples, JPS.alpha(), 0, JPS.idle(), JPS.way(), refreshes, centred, 0);
        return way(name, m -> place(m, knobs));
    }

    private static Division place(Market market, Knobs knobs) {
        return Objects.requireNonNull(SampledMarket.place(market, knobs)); // every job may run on every worker
    }

    /** So that nobody's first calls are timed. */
    static boolean warmUp() {
        List<Market> markets = new ArrayList<>();
        for (int i = 0; i < WARM_UP_SOLVES; i++) {
            int jobs = JOBS[i % JOBS.length];
            Market market = Instances.draw(kind(i), jobs, WORKERS[i % WORKERS.length], -i - 1L);
            markets.add(market);
            Exact.meanSeconds(market, JPS.idle());
        }
        for (int i = 0; i < WARM_UPS; i++) {
            place(markets.get(i % markets.size()), JPS);
        }
        return true;
    }

    private static Instances.Kind kind(int i) {
        Instances.Kind[] kinds = Instances.Kind.values();
        return kinds[i % kinds.length];
    }

    /** All kinds and seeds of one size. */
    static List<Solved> solve(int jobs, int workers, List<Long> seeds, List<Way> ways) {
        List<Solved> solved = new ArrayList<>();
        for (Instances.Kind kind : Instances.Kind.values()) {
            for (long seed : seeds) {
                solved.add(solve(kind, jobs, workers, seed, ways));
            }
        }
        return solved;
    }

    private static Solved solve(Instances.Kind kind, int jobs, int workers, long seed, List<Way> ways) {
        Market market = Instances.draw(kind, jobs, workers, seed);
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        long begin = clock.getCurrentThreadCpuTime();
        double optimum = Exact.meanSeconds(market, JPS.idle());
        long solver = clock.getCurrentThreadCpuTime() - begin;
        Division division = place(market, JPS);
        double placed = placeMillis(market);
        List<Outcome> outcomes = ways.stream()
                .map(way -> outcome(market, way.place.apply(market), optimum))
                .toList();
        return new Solved(
                kind, jobs, workers, seed, solver / 1e6, placed, outcome(market, division, optimum), outcomes);
    }

    private static Outcome outcome(Market market, Division division, double optimum) {
        return new Outcome(division.meanSeconds() / optimum - 1, division.fairness(market));
    }

    /** CPU milliseconds of one placement. */
    static double placeMillis(Market market) {
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        long begin = clock.getCurrentThreadCpuTime();
        IntStream.range(0, REPEATS).forEach(i -> place(market, JPS));
        return (clock.getCurrentThreadCpuTime() - begin) / 1e6 / REPEATS;
    }
}
