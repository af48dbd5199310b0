package dev.fermata.live.api.view;

import dev.fermata.live.learn.RemainingTime;
import java.util.List;

/** How estimates of what jobs still had to run compare with what they ran. */
public record EstimatesView(List<SourceView> sources, List<WorstView> worst) {
    /** All estimates of one source. Errors and bias are shares of the truth; the last two are shares of the estimates. */
    public record SourceView(
            RemainingTime.Source source,
            int count,
            double medianError,
            double bias,
            double withinP90,
            double withinBand) {}

    /** An estimate that was far off. {@code moment} says when in the job's life it was made. */
    public record WorstView(
            long job,
            String moment,
            RemainingTime.Source source,
            double p10Seconds,
            double p50Seconds,
            double p90Seconds,
            double truthSeconds) {}
}
