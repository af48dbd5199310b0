package dev.fermata.live.learn;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What was learned from an attempt beside what it showed: it is part of the line of its leaving, so that the history tells the same again.
 *
 * @param kind what the attempt was of
 * @param unsound figures that it says nothing about, whatever it showed
 * @param failedMemoryMib GPU memory that it had and that was too little; -1 when it was enough
 * @param instead what the same attempt taught before, and teaches better now; null when that was nothing
 */
public record Learned(
        Kind kind,
        Set<Figure> unsound,
        long failedMemoryMib,
        @Nullable Measured instead) {
    public Learned {
        unsound = unsound.isEmpty() ? Set.of() : Set.copyOf(unsound);
    }
}
