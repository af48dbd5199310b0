package dev.fermata.live.store;

/**
 * What was learned about one job profile.
 *
 * @param atMillis when a sample was last added
 * @param seq the last history entry it includes
 * @param body the profile as JSON
 */
public record ProfileRow(
        String command, String model, String gpuType, int gpus, long atMillis, long seq, String body) {}
