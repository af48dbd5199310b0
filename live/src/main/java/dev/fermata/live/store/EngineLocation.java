package dev.fermata.live.store;

/**
 * Where the jobs of a history run.
 *
 * @param id unique per location; empty until one is recorded
 * @param description for messages
 */
public record EngineLocation(String id, String description) {
    public static final EngineLocation NONE = new EngineLocation("", "");
}
