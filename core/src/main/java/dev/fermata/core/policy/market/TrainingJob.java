package dev.fermata.core.policy.market;

/**
 * A job as the paper describes it.
 *
 * @param samples training samples of one round, over all workers
 * @param rounds rounds until it is done
 * @param modelBytes bytes that every round all-reduces
 */
public record TrainingJob(double samples, double rounds, double modelBytes) {
    public TrainingJob {
        if (!(samples > 0 && rounds > 0 && modelBytes >= 0)) {
            throw new IllegalArgumentException("a job needs samples (" + samples + ") and rounds (" + rounds
                    + ") above zero and model bytes (" + modelBytes + ") not below");
        }
    }
}
