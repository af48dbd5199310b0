package dev.fermata.live.api.view;

import dev.fermata.history.RemainingTime;
import java.util.List;

/** Estimates of remaining run time compared with the actual run time. */
public record EstimateAccuracyView(List<SourceAccuracyView> sources, List<WorstEstimateView> worst) {
    /**
     * All estimates of one source. Errors and bias are shares of the actual time; the last two are shares of the estimates.
     */
    public record SourceAccuracyView(
            RemainingTime.EstimateSource source,
            int count,
            double medianError,
            double bias,
            double withinP90,
            double withinBand) {}

    /** A very inaccurate estimate. {@code moment} says at which point of the job it was made. */
    public record WorstEstimateView(
            long job,
            String moment,
            RemainingTime.EstimateSource source,
            double p10Seconds,
            double p50Seconds,
            double p90Seconds,
            double actualSeconds) {}
}
