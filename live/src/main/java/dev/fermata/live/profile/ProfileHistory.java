package dev.fermata.live.profile;

import dev.fermata.history.SampleSummary;
import dev.fermata.history.SlidingSamples;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The mutable samples of one profile key. Every attempt changes it in place; {@link #snapshot} copies it. */
final class ProfileHistory implements ProfileStatistics {
    private final Map<ProfileMetric, SlidingSamples> windows = new EnumMap<>(ProfileMetric.class);
    private Map<ProfileMetric, Long> overrides = Map.of();

    /** Time of the last change. */
    long atMillis;
    /** The last history entry whose samples its stored row contains. */
    long knownSeq;
    /** Number of profile keys of the program, if this is the history of a program key. */
    int keyCount;
    /** Whether it has changes that its stored row lacks. */
    boolean unwritten;

    void add(ProfileMetric metric, long value) {
        SlidingSamples values = windows.get(metric);
        if (values == null) {
            values = new SlidingSamples(ProfileSamples.MAX_SAMPLES);
            windows.put(metric, values);
        }
        values.add(value);
    }

    /** Replaces an earlier sample of the same attempt. The peak memory never shrinks. */
    void replace(ProfileMetric metric, long before, long value) {
        SlidingSamples values = windows.get(metric);
        long better = metric == ProfileMetric.PEAK_MEMORY_MIB ? Math.max(before, value) : value;
        if (before < 0 || values == null || !values.replace(before, better)) {
            add(metric, value);
        }
    }

    void replaceAll(ProfileSamples samples) {
        windows.clear();
        samples.samples().forEach((metric, values) -> values.forEach(value -> add(metric, value)));
        overrides = samples.overrides();
    }

    ProfileSamples snapshot() {
        Map<ProfileMetric, List<Long>> values = new EnumMap<>(ProfileMetric.class);
        windows.forEach((metric, all) -> values.put(metric, all.values()));
        return new ProfileSamples(values, overrides);
    }

    @Override
    public Map<ProfileMetric, Long> overrides() {
        return overrides;
    }

    @Override
    public SampleSummary summary(ProfileMetric metric) {
        SlidingSamples values = windows.get(metric);
        return values == null ? SampleSummary.NONE : values.summary();
    }

    @Override
    public long value(ProfileMetric metric) {
        Long override = overrides.get(metric);
        SlidingSamples values = windows.get(metric);
        return override != null ? override : values == null ? AttemptMeasurements.UNKNOWN : values.quantile(0.5);
    }

    @Override
    public long max(ProfileMetric metric) {
        SlidingSamples values = windows.get(metric);
        return values == null ? AttemptMeasurements.UNKNOWN : values.max();
    }

    @Override
    public boolean has(ProfileMetric metric) {
        return overrides.containsKey(metric) || windows.containsKey(metric);
    }
}
