package dev.fermata.core.contract;

/**
 * What an attempt did with the time it held its GPUs, reported by the engine at its end. {@code load + useful + lost +
 * pause} is the whole time held, to the millisecond.
 *
 * @param usefulMillis running time whose result is kept
 * @param lostMillis running time that must be done again
 * @param communicationMillis part of useful and lost time that waited for the network
 * @param savedWorkMillis reference-milliseconds of work kept over all attempts so far
 */
public record Usage(
        long loadMillis,
        long usefulMillis,
        long lostMillis,
        long preemptMillis,
        long communicationMillis,
        long savedWorkMillis) {
    public static final Usage NONE = new Usage(0, 0, 0, 0, 0, 0);

    /** All of its running, whether it was kept or not. */
    public long runMillis() {
        return usefulMillis + lostMillis;
    }
}
