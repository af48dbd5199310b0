package dev.fermata.core.estimate;

import dev.fermata.core.contract.RuntimeEstimate;

/** What completed runs of its program say about a job, as equally likely run times. */
final class SimilarRunsEstimate implements RuntimeEstimate {
    private static final int POINTS = 12;
    /** It is not recomputed before so much more work, and not before a sixth more. */
    private static final long MIN_VALID_MILLIS = 500;

    private static final long VALID_SHARE = 6;

    private final SimilarRuns.WorkEstimate work;
    private final long doneMillis;
    /** Equally likely amounts of work that are left, ascending. */
    private final double[] left = new double[POINTS];

    SimilarRunsEstimate(SimilarRuns.WorkEstimate work, long doneMillis) {
        this.work = work;
        this.doneMillis = doneMillis;
        for (int i = 0; i < POINTS; i++) {
            left[i] = work.leftMillis(doneMillis, (i + 0.5) / POINTS);
        }
    }

    /** The expected work until the end or until the first of these points, whichever comes first. */
    private double workUntil(int point) {
        double sum = 0;
        for (int i = 0; i < POINTS; i++) {
            sum += Math.min(left[i], left[point]);
        }
        return sum / POINTS;
    }

    @Override
    public long workPerCompletionMillis() {
        double least = Double.MAX_VALUE;
        for (int i = 0; i < POINTS; i++) {
            least = Math.min(least, workUntil(i) * POINTS / (i + 1));
        }
        return Math.max(1, Math.round(least));
    }

    @Override
    public long meanTotalMillis() {
        return doneMillis + Math.round(workUntil(POINTS - 1));
    }

    @Override
    public long validUntilWorkMillis() {
        return doneMillis + Math.max(MIN_VALID_MILLIS, Math.max(doneMillis / VALID_SHARE, Math.round(left[0])));
    }

    @Override
    public Quantum bestQuantum(double completionValueMillis) {
        Quantum best = new Quantum(0, 0);
        double most = 0;
        for (int i = 0; i < POINTS; i++) {
            double probability = (i + 1.0) / POINTS;
            double expected = workUntil(i);
            if (probability * completionValueMillis - expected > most) {
                most = probability * completionValueMillis - expected;
                best = new Quantum(probability, expected);
            }
        }
        return best;
    }

    @Override
    public RuntimeEstimate afterWork(long workMillis) {
        return new SimilarRunsEstimate(work, workMillis);
    }

    @Override
    public long totalQuantileMillis(long done, double probability) {
        return done + work.leftMillis(done, Math.min(0.9995, probability));
    }
}
