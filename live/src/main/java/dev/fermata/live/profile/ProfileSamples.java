package dev.fermata.live.profile;

import dev.fermata.history.SampleSummary;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The samples of one profile key as they are stored and shown. Immutable.
 *
 * @param samples measured values by metric, oldest first, at most {@link #MAX_SAMPLES} each
 * @param overrides values that a person set or imported; they take precedence over all samples
 */
public record ProfileSamples(Map<ProfileMetric, List<Long>> samples, Map<ProfileMetric, Long> overrides)
        implements ProfileStatistics {
    /** Enough for a 90th percentile, few enough to follow changes. */
    public static final int MAX_SAMPLES = 64;

    public static final ProfileSamples NONE = new ProfileSamples(Map.of(), Map.of());

    public ProfileSamples {
        Map<ProfileMetric, List<Long>> lists = new EnumMap<>(ProfileMetric.class);
        samples.forEach((metric, values) -> lists.put(metric, List.copyOf(values)));
        samples = Collections.unmodifiableMap(lists);
        overrides = Map.copyOf(overrides);
    }

    public ProfileSamples withOverrides(Map<ProfileMetric, Long> corrections) {
        return new ProfileSamples(samples, corrections);
    }

    @Override
    public SampleSummary summary(ProfileMetric metric) {
        return SampleSummary.of(samples.getOrDefault(metric, List.of()));
    }

    @Override
    public long max(ProfileMetric metric) {
        return samples.getOrDefault(metric, List.of()).stream()
                .mapToLong(Long::longValue)
                .max()
                .orElse(AttemptMeasurements.UNKNOWN);
    }

    @Override
    public boolean has(ProfileMetric metric) {
        return overrides.containsKey(metric) || samples.containsKey(metric);
    }
}
