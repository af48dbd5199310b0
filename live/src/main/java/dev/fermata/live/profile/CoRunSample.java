package dev.fermata.live.profile;

/**
 * One measurement of a co-location: the step time of an attempt while exactly one other job shared its GPUs.
 *
 * @param neighbour the program of the other job, by {@link ProfileKey#label}
 * @param iterationMicros median step time with that job
 * @param aloneMicros median step time alone
 */
public record CoRunSample(String neighbour, long iterationMicros, long aloneMicros) {
    private static final long FULL_SPEED = 1000;

    /** Its speed in thousandths of that alone, at most 1000: a higher one is noise. */
    public long speedPermille() {
        return Math.max(1, Math.min(FULL_SPEED, FULL_SPEED * aloneMicros / Math.max(1, iterationMicros)));
    }
}
