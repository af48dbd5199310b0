package dev.fermata.core.contract;

/** What an uncertain estimator knows of a job beyond one number. All work is in milliseconds on the reference GPU. */
public interface RuntimeEstimate {
    /**
     * The least expected work per completion over all horizons, the inverse of the Gittins index. It is the remainder
     * where that is certain, and more the less likely the job is to end soon.
     */
    long workPerCompletionMillis();

    /** What it is expected to need in all, on average. */
    long meanTotalMillis();

    /** The answers hold until the job has done this much work in all. */
    long validUntilWorkMillis();

    /** Whether it is only one number: what remains then falls with every millisecond of work. */
    default boolean isCertain() {
        return false;
    }

    /**
     * The work after which the progress of the job shows what remains, or {@link Plan#NEVER} where that is known already or
     * will not be reported.
     */
    default long knownAfterWorkMillis() {
        return Plan.NEVER;
    }

    /** The run from now on with the largest value of its completion less its work, where a completion is worth this much. */
    Quantum bestQuantum(double completionValueMillis);

    /** The same knowledge applied to the job once it has done this much work in all. */
    default RuntimeEstimate afterWork(long workMillis) {
        return this;
    }

    /**
     * A quantile of the job's total work, given that it has done this much without ending. With a probability drawn evenly
     * from 0 to 1 it is a sample of the estimator's distribution.
     */
    default long totalQuantileMillis(long doneMillis, double probability) {
        return Math.max(doneMillis + 1, meanTotalMillis());
    }

    /**
     * Running a job for a while.
     *
     * @param completionProbability that it ends meanwhile
     * @param expectedWorkMillis what it is expected to do meanwhile
     */
    record Quantum(double completionProbability, double expectedWorkMillis) {}
}
