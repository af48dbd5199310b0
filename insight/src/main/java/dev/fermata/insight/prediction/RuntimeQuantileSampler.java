package dev.fermata.insight.prediction;

import dev.fermata.core.contract.RuntimeEstimate;
import dev.fermata.core.prediction.WorkEstimate;
import dev.fermata.sim.workload.Rng;

/**
 * The quantile of each job's run time in each scenario. Every job gets each of equally many parts of its range once, in
 * an order of its own. So a few scenarios cover the range of every job. A job keeps its quantiles in the next
 * prediction, which therefore changes only when something happens.
 */
final class RuntimeQuantileSampler {
    /** The longest run time considered: ten years. */
    private static final double MAX_MILLIS = 10 * 365.25 * 86_400_000;

    /** Standard deviations between the median of a normal variable and its ninth decile. */
    private static final double DECILE = 1.2815515655446004;

    private final long seed;
    private final int scenarios;

    RuntimeQuantileSampler(long seed, int scenarios) {
        this.seed = seed;
        this.scenarios = scenarios;
    }

    /** The quantiles of one job, by scenario, each between 0 and 1. */
    double[] quantilesOf(long jobId) {
        Rng random = Rng.stream(seed, jobId);
        double[] quantiles = new double[scenarios];
        for (int s = 0; s < scenarios; s++) {
            int other = random.uniformInt(s + 1);
            quantiles[s] = quantiles[other];
            quantiles[other] = s;
        }
        for (int s = 0; s < scenarios; s++) {
            quantiles[s] = (quantiles[s] + random.uniform()) / scenarios;
        }
        return quantiles;
    }

    /**
     * The total work at this quantile, from the shortest (0) to the longest (1) considered possible. It follows the
     * runtime estimate, else it is log-normal on each side of the median.
     */
    static long totalWorkMillis(WorkEstimate estimate, double quantile) {
        RuntimeEstimate runtimeEstimate = estimate.runtimeEstimate();
        if (runtimeEstimate != null && !estimate.isPointEstimate()) {
            return runtimeEstimate.totalQuantileMillis(estimate.doneMillis(), quantile);
        }
        double deviation = normalQuantile(quantile) / DECILE;
        double decile =
                (double) (deviation < 0 ? estimate.p10Millis() : estimate.p90Millis()) / estimate.remainingMillis();
        double left = estimate.remainingMillis() * StrictMath.pow(decile, Math.abs(deviation));
        return estimate.doneMillis() + Math.max(1, Math.round(Math.min(left, MAX_MILLIS)));
    }

    /**
     * How many standard deviations above its mean a normal variable is that has this chance of being less. Rational approximation of
     * Acklam (2003), relative error below 1.2e-9.
     */
    static double normalQuantile(double probability) {
        double p = Math.min(1 - 1e-12, Math.max(1e-12, probability));
        if (p < 0.02425 || p > 1 - 0.02425) {
            double q = StrictMath.sqrt(-2 * StrictMath.log(Math.min(p, 1 - p)));
            double tail = (((((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q - 2.400758277161838) * q
                                                            - 2.549732539343734)
                                                    * q
                                            + 4.374664141464968)
                                    * q
                            + 2.938163982698783)
                    / ((((7.784695709041462e-03 * q + 3.224671290700398e-01) * q + 2.445134137142996) * q
                                            + 3.754408661907416)
                                    * q
                            + 1);
            return p < 0.5 ? tail : -tail;
        }
        double q = p - 0.5;
        double r = q * q;
        return (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r - 2.759285104469687e+02) * r
                                                        + 1.383577518672690e+02)
                                                * r
                                        - 3.066479806614716e+01)
                                * r
                        + 2.506628277459239)
                * q
                / (((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r - 1.556989798598866e+02) * r
                                                        + 6.680131188771972e+01)
                                                * r
                                        - 1.328068155288572e+01)
                                * r
                        + 1);
    }
}
