package dev.fermata.live.api.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * When a pending job will probably start, by simulation of the jobs known at {@code asOf}; one flat JSON object.
 *
 * @param p50 half of the scenarios start it by then; absent when that is unknown
 * @param p90 nine of ten scenarios start it by then
 * @param scenarios how many futures were simulated
 * @param note why something is unknown; empty when nothing is
 */
public record StartPredictionView(
        @Nullable Instant p50,
        @Nullable Instant p90,
        Instant asOf,
        int scenarios,
        @JsonUnwrapped PredictedPreemptionView preemption,
        String note) {
    /**
     * The preemption that would start the job.
     *
     * @param victims jobs preempted for it in at least half of the scenarios with a preemption
     * @param preemptionProbability the share of scenarios with a preemption
     */
    public record PredictedPreemptionView(
            List<Long> victims, double preemptionProbability, double gainSeconds, double costSeconds) {}
}
