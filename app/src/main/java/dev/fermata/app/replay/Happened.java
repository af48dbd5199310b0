package dev.fermata.app.replay;

import dev.fermata.core.contract.Fact;

/**
 * One line of a recorded history.
 *
 * @param actor a user's name, {@code policy}, {@code engine} or {@code daemon}
 * @param counted the end of an attempt whose script had counted its steps
 */
record Happened(long atMillis, String actor, Fact fact, boolean counted) {}
