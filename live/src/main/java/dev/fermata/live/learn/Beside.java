package dev.fermata.live.learn;

/**
 * How fast an attempt was while exactly one other worked on its GPUs.
 *
 * @param neighbour the kind of the other, by {@link Kind#label}
 * @param iterationMicros what a step usually took then
 * @param aloneMicros what a step usually takes with nobody there
 */
public record Beside(String neighbour, long iterationMicros, long aloneMicros) {
    private static final long ALONE = 1000;

    /** Its speed in thousandths of that alone. Nobody gets faster by company: what looks so is noise. */
    public long speedPermille() {
        return Math.max(1, Math.min(ALONE, ALONE * aloneMicros / Math.max(1, iterationMicros)));
    }
}
