package dev.fermata.live.store;

/**
 * What was learned of one kind of job.
 *
 * @param atMillis when something was last added
 * @param seq the line of the history up to which it knows everything
 * @param body what was noted, as JSON
 */
public record KindRow(String command, String model, String gpuType, int gpus, long atMillis, long seq, String body) {}
