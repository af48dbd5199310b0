package dev.fermata.live.profile;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How the measurements of an attempt change a profile. It is part of the history entry of the attempt's end, so that
 * recovery learns the same again.
 *
 * @param unusable metrics whose measurement is ignored
 * @param failedMemoryMib GPU memory of an attempt that ran out of it; -1 when it did not
 * @param replaces earlier measurements of the same attempt that these replace; null for none
 */
public record ProfileUpdate(
        ProfileKey profileKey,
        Set<ProfileMetric> unusable,
        long failedMemoryMib,
        @Nullable AttemptMeasurements replaces) {
    public ProfileUpdate {
        unusable = unusable.isEmpty() ? Set.of() : Set.copyOf(unusable);
    }
}
