package dev.fermata.live.learning;

import dev.fermata.core.model.ProfileFirst;
import dev.fermata.live.profile.ProfileKey;
import dev.fermata.live.profile.ProfileMetric;
import dev.fermata.live.profile.ProfileStatistics;
import dev.fermata.live.profile.ProfileStore;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Profile keys without step time and memory, whose first job makes a profiling run. A key gets one profiling run: if it
 * ends without a result, no job waits for a second one.
 */
final class UnprofiledKeys {
    /** Keys whose profiling run is remembered as over; the oldest get another one. */
    private static final int CAPACITY = 5_000;

    private static final int HEX = 16;

    private final ProfileStore profileStore;
    private final long waitMillis;
    private final Set<Long> finished = Collections.newSetFromMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, Boolean> eldest) {
            return size() > CAPACITY;
        }
    });

    /** @param waitMillis how long jobs wait for the profiling run of their key; 0 when no job waits */
    UnprofiledKeys(ProfileStore profileStore, long waitMillis) {
        this.profileStore = profileStore;
        this.waitMillis = waitMillis;
    }

    /** The profiling run of this key, or none if it is profiled or was tried. */
    ProfileFirst profileFirst(ProfileKey key) {
        if (waitMillis == 0) {
            return ProfileFirst.NONE;
        }
        ProfileStatistics samples = profileStore.statistics(key);
        if (samples.has(ProfileMetric.ITERATION_MICROS) || samples.has(ProfileMetric.PEAK_MEMORY_MIB)) {
            return ProfileFirst.NONE;
        }
        ProfileFirst probe = new ProfileFirst(1 + Long.parseLong(key.id(), HEX), waitMillis);
        return finished.contains(probe.profileKey()) ? ProfileFirst.NONE : probe;
    }

    /** The profiling run has a result, has ended, or took too long. */
    void finish(ProfileFirst probe) {
        finished.add(probe.profileKey());
    }
}
