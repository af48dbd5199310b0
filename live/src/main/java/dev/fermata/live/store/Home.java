package dev.fermata.live.store;

/**
 * Where the jobs of a history run.
 *
 * @param id never the same for two places; empty when nobody has said yet
 * @param place in words for people
 */
public record Home(String id, String place) {
    public static final Home NONE = new Home("", "");
}
