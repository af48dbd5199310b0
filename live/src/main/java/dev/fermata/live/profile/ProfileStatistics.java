package dev.fermata.live.profile;

import dev.fermata.history.SampleSummary;
import java.util.Map;

/** The samples of one profile key and the values derived from them. */
public interface ProfileStatistics {
    /** Values that a person set or imported; they take precedence over all samples. */
    Map<ProfileMetric, Long> overrides();

    /** The recent samples of a metric. */
    SampleSummary summary(ProfileMetric metric);

    /** The largest recent sample; -1 for none. */
    long max(ProfileMetric metric);

    boolean has(ProfileMetric metric);

    /** The override, else the median of the samples; -1 for none. */
    default long value(ProfileMetric metric) {
        Long override = overrides().get(metric);
        if (override != null) {
            return override;
        }
        SampleSummary measured = summary(metric);
        return measured.count() == 0 ? AttemptMeasurements.UNKNOWN : measured.p50();
    }

    /** The peak memory on one GPU: the override, else the largest sample; -1 for none. */
    default long peakMemoryMib() {
        Long override = overrides().get(ProfileMetric.PEAK_MEMORY_MIB);
        return override != null ? override : max(ProfileMetric.PEAK_MEMORY_MIB);
    }
}
