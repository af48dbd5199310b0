package dev.fermata.live.api.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.fermata.core.contract.JobState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Why a job is in its state, one flat JSON object. {@code predictedStart} and {@code position} are absent unless it is pending.
 *
 * @param position its position among the pending jobs by submission; others may start before it
 * @param blockedBy the jobs in its way, the first to end first
 * @param preemptions the latest decisions to pause it, to pause others for it, or not to; newest first
 */
public record ExplainView(
        long job,
        JobState state,
        @JsonUnwrapped PendingReasonView pending,
        @Nullable StartPredictionView predictedStart,
        @Nullable Integer position,
        List<BlockingJobView> blockedBy,
        List<PreemptionView> preemptions) {
    /**
     * A job in the way.
     *
     * @param gpus how many GPUs it holds, or needs while it is pending
     * @param expectedEnd absent where it cannot be told
     */
    public record BlockingJobView(
            long job,
            String user,
            int gpus,
            JobState state,
            @Nullable ExpectedEndView expectedEnd) {}

    /** When it will have ended, half of the time and nine times out of ten. */
    public record ExpectedEndView(Instant p50, Instant p90) {}

    /** The dominant reason with its evidence, and what would remove it. */
    public record PendingReasonView(String reason, String message, Map<String, Object> evidence, String unblockedBy) {}
}
