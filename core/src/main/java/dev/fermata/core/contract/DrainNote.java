package dev.fermata.core.contract;

/**
 * Why a node is drained, and who asked for it.
 *
 * @param reason one line, empty for none
 * @param by a user, or the engine; empty for unknown
 */
public record DrainNote(String reason, String by) {
    public static final DrainNote NONE = new DrainNote("", "");
}
