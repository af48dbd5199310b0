package dev.fermata.core.policy.market;

/**
 * What a division is judged by: {@code mean JCT · ((1 - beta) + beta (1 - F))}. F is Jain's index of each job's
 * completion time over the one it would have on an equal share of the workers. With beta 0 it is the mean alone.
 */
final class DivisionObjective {
    private final double beta;
    private final double[] equal;

    DivisionObjective(Market market, double beta) {
        if (!(beta >= 0 && beta <= 1)) {
            throw new IllegalArgumentException("beta (" + beta + ") must be from 0 to 1");
        }
        this.beta = beta;
        equal = new double[market.jobs()];
        for (int i = 0; i < equal.length && beta > 0; i++) {
            equal[i] = market.equalSeconds(i);
        }
    }

    boolean isFair() {
        return beta > 0;
    }

    double score(double[] seconds) {
        double sum = 0;
        for (double s : seconds) {
            sum += s;
        }
        double mean = sum / seconds.length;
        if (beta == 0) {
            return mean;
        }
        double ratios = 0;
        double squares = 0;
        for (int i = 0; i < seconds.length; i++) {
            double ratio = seconds[i] / equal[i];
            ratios += ratio;
            squares += ratio * ratio;
        }
        return mean * (1 - beta + beta * (1 - ratios * ratios / (seconds.length * squares)));
    }

    /** Jain's index of completion times over those on an equal share: 1 when all are sped up or slowed down alike. */
    static double jain(Market market, double[] seconds) {
        double ratios = 0;
        double squares = 0;
        for (int i = 0; i < seconds.length; i++) {
            double ratio = seconds[i] / market.equalSeconds(i);
            ratios += ratio;
            squares += ratio * ratio;
        }
        return ratios * ratios / (seconds.length * squares);
    }
}
