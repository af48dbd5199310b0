package dev.fermata.live.store;

/**
 * What was learned of one kind of job.
 *
 * @param atMillis when something was last added
 * @param body what was noted, as JSON
 */
public record KindRow(String command, String model, String gpuType, int gpus, long atMillis, String body) {}
