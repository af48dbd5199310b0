package dev.fermata.app.replay;

import dev.fermata.core.contract.Fact;

/**
 * One line of a recorded history.
 *
 * @param actor a user's name, {@code policy}, {@code engine} or {@code daemon}
 * @param said by an attempt that ends
 */
record Happened(long atMillis, String actor, Fact fact, Said said) {
    Happened at(long otherMillis) {
        return new Happened(otherMillis, actor, fact, said);
    }
}
