package dev.fermata.live.store;

/**
 * What was learned of one kind of job beside another on the same GPU.
 *
 * @param slowed whose speed it is, by the name of its kind
 * @param beside who was there too
 * @param atMillis when something was last added
 * @param body what was noted, as JSON
 */
public record PairRow(String slowed, String beside, String gpuType, long atMillis, String body) {}
