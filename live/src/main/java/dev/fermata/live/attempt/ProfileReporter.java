package dev.fermata.live.attempt;

import dev.fermata.live.profile.AttemptMeasurements;
import dev.fermata.live.profile.EnoughEvidence;
import org.jspecify.annotations.Nullable;

/**
 * Decides when the measurements of a running attempt are reported: once there is enough evidence, and when its memory has
 * grown.
 */
final class ProfileReporter {
    /** The growth of memory, relative to the last report, that is reported. */
    private static final double MEMORY_GROWTH = 1.05;

    private final boolean gpusWatched;
    private long reportedPeakMib = -1;
    private boolean reported;

    /** @param watched whether its GPUs are real and can be sampled */
    ProfileReporter(boolean watched) {
        this.gpusWatched = watched;
    }

    /** The measurements to report now, or null. */
    synchronized @Nullable AttemptMeasurements nextMeasurements(
            AttemptPhases phases, GpuUsage gpuUsage, long orderedMillis, long startedMillis, long nowMillis) {
        if (reported) {
            return gpuUsage.peakMib() > Math.max(0, reportedPeakMib) * MEMORY_GROWTH
                    ? report(phases, gpuUsage, orderedMillis)
                    : null;
        }
        long ready =
                phases.readyMillis() >= 0 ? phases.readyMillis() : phases.upMillis() >= 0 ? nowMillis : startedMillis;
        boolean steps = EnoughEvidence.isGiven(0, phases.stepsDone()) && (!gpusWatched || gpuUsage.hasEnoughSamples());
        return steps || EnoughEvidence.isGiven(nowMillis - ready, 0) ? report(phases, gpuUsage, orderedMillis) : null;
    }

    private @Nullable AttemptMeasurements report(AttemptPhases phases, GpuUsage gpuUsage, long orderedMillis) {
        reported = true;
        reportedPeakMib = gpuUsage.peakMib();
        long ready = phases.readyMillis();
        AttemptMeasurements measured = phases.toMeasurements(
                        orderedMillis, Math.max(0, ready - orderedMillis), -1, -1, false)
                .withGpu(gpuUsage.busyPermille(), gpuUsage.peakMib());
        return measured.isEmpty() ? null : measured;
    }
}
