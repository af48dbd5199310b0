package dev.fermata.live.api.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.fermata.core.contract.JobState;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Why a job is in its state, one flat JSON object. {@code predictedStart} and {@code position} are absent unless it is pending.
 *
 * @param preemptions the latest decisions to pause it, to pause others for it, or not to; newest first
 */
public record ExplainView(
        long job,
        JobState state,
        @JsonUnwrapped PendingReasonView pending,
        @Nullable StartPredictionView predictedStart,
        @Nullable Integer position,
        List<PreemptionView> preemptions) {
    /** The dominant reason with its evidence, and what would remove it. */
    public record PendingReasonView(String reason, String message, Map<String, Object> evidence, String unblockedBy) {}
}
