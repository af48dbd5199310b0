package dev.fermata.live.api.view;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.core.contract.JobState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job as clients see it, one flat JSON object. What the caller may not see is absent: jobs of other users are shown without name,
 * command, environment and detail.
 */
public record JobStatusView(
        long id,
        @JsonUnwrapped JobRequestView request,
        @JsonUnwrapped JobStateView status,
        @JsonUnwrapped JobTimesView times,
        @JsonUnwrapped JobResultView result,
        @JsonUnwrapped LiveStatusView live,
        @JsonUnwrapped JobDetailsView details) {
    /** What was submitted. */
    public record JobRequestView(
            String name,
            String user,
            String queue,
            @JsonProperty("class") String jobClass,
            int gpus,
            int priority) {}

    /** @param attemptId the current or last attempt, such as {@code 123.2}; absent before the first */
    /** @param paused whether it was preempted and waits to go on */
    public record JobStateView(
            JobState state,
            @JsonProperty("final") boolean ended,
            int attempt,
            @Nullable String attemptId,
            int preemptions,
            boolean paused) {}

    /** @param since when it entered its state */
    public record JobTimesView(
            Instant submitted,
            Instant since,
            @Nullable Instant firstStart,
            @Nullable Instant finished,
            double waitSeconds,
            double runSeconds) {}

    /** @param gpuIds the GPUs of the current attempt */
    public record JobResultView(
            List<Integer> gpuIds,
            boolean onHold,
            @Nullable Integer exitCode,
            String detail,
            @Nullable Long arrayId,
            @Nullable Integer arrayIndex) {}

    /**
     * What the scheduler loop knows about a job that has not ended; only where it was requested.
     *
     * @param reason the dominant pending reason
     * @param predictedStart when it will probably start
     */
    public record LiveStatusView(
            @Nullable String reason,
            @Nullable String message,
            @Nullable StartPredictionView predictedStart,
            @Nullable ProgressView progress) {}

    /**
     * What only the view of a single job has.
     *
     * @param spec the job file, secrets replaced
     * @param preemptionLog decisions to pause it, to pause others for it, or not to, newest first
     */
    public record JobDetailsView(
            @Nullable JsonNode spec,
            @Nullable List<AttemptView> attempts,
            @Nullable List<PreemptionView> preemptionLog) {
        /** The details of a job in a list: none. */
        public static final JobDetailsView NONE = new JobDetailsView(null, null, null);
    }
}
