package dev.fermata.app.replay;

import dev.fermata.core.contract.Fact;

/**
 * One line of a recorded history.
 *
 * @param actor a user's name, {@code policy}, {@code engine} or {@code daemon}
 * @param counted the end of an attempt whose script had counted its steps
 * @param stepMicros what a step usually took then; 0 where nobody knows
 * @param knownMillis when its reports first said how long it would take; not positive when they never did
 */
record Happened(long atMillis, String actor, Fact fact, boolean counted, long stepMicros, long knownMillis) {
    Happened at(long otherMillis) {
        return new Happened(otherMillis, actor, fact, counted, stepMicros, knownMillis);
    }
}
