package dev.fermata.sim.forecast;

import dev.fermata.sim.workload.Rng;

/**
 * Where in the range of what is thought possible a job's run time lies in each scenario: every job has each of as many equal parts of
 * that range once, in an order of its own. So a handful of scenarios covers the range of every single job, and the same job has
 * the same futures in the next forecast: what is expected of it changes because something happened, not because of the dice.
 */
final class Futures {
    /** Nothing is taken to last longer: ten years. */
    static final double LONGEST_MILLIS = 10 * 365.25 * 86_400_000;

    private final long seed;
    private final int scenarios;

    Futures(long seed, int scenarios) {
        this.seed = seed;
        this.scenarios = scenarios;
    }

    /** The places of one job, by scenario, each between 0 and 1. */
    double[] of(long jobId) {
        Rng random = Rng.stream(seed, jobId);
        double[] places = new double[scenarios];
        for (int s = 0; s < scenarios; s++) {
            int other = random.below(s + 1);
            places[s] = places[other];
            places[other] = s;
        }
        for (int s = 0; s < scenarios; s++) {
            places[s] = (places[s] + random.uniform()) / scenarios;
        }
        return places;
    }

    /**
     * How many standard deviations above its mean a normal variable is that has this chance of being less. Rational approximation of
     * Acklam (2003), relative error below 1.2e-9.
     */
    static double deviation(double chance) {
        double p = Math.min(1 - 1e-12, Math.max(1e-12, chance));
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
