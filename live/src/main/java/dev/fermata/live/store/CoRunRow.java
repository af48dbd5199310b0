package dev.fermata.live.store;

/**
 * What was measured of one job profile on a GPU shared with another.
 *
 * @param profile the profile whose speed this is
 * @param neighbour the profile of the co-located job
 * @param atMillis when a sample was last added
 * @param body the samples as JSON
 */
public record CoRunRow(String profile, String neighbour, String gpuType, long atMillis, String body) {}
