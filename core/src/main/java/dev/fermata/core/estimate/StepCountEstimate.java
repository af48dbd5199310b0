package dev.fermata.core.estimate;

import dev.fermata.core.contract.RuntimeEstimate;

/**
 * The estimate for a job whose script counts its steps: what is left is known.
 *
 * @param doneMillis work it had done at the last report
 */
public record StepCountEstimate(long doneMillis, long remainingMillis) implements RuntimeEstimate {
    /** It is not recomputed before so much work: a script that has counted to its end may take its time to save. */
    private static final long MIN_VALID_MILLIS = 500;

    @Override
    public long workPerCompletionMillis() {
        return remainingMillis;
    }

    @Override
    public long meanTotalMillis() {
        return doneMillis + remainingMillis;
    }

    @Override
    public long validUntilWorkMillis() {
        return doneMillis + Math.max(MIN_VALID_MILLIS, remainingMillis);
    }

    @Override
    public boolean isCertain() {
        return true;
    }

    @Override
    public Quantum bestQuantum(double completionValueMillis) {
        return new Quantum(1, remainingMillis);
    }

    @Override
    public StepCountEstimate afterWork(long workMillis) {
        return new StepCountEstimate(workMillis, Math.max(1, meanTotalMillis() - workMillis));
    }
}
