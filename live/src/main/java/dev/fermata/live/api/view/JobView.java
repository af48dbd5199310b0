package dev.fermata.live.api.view;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.core.contract.JobState;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job as clients see it. What the asking user may not know is absent: of jobs of others there is a line of the queue, without name,
 * command, environment and detail.
 *
 * @param run the current or last attempt, such as {@code 123.2}; absent before the first
 * @param since when it entered its state
 * @param gpuIds the GPUs of the current attempt
 * @param reason the dominant reason why it waits, where the question was asked
 * @param expectedStart when it will start, where the question was asked
 * @param preemptionLedger decisions to pause it, to pause others for it, or not to, newest first; only for single jobs
 * @param spec the job file, secrets replaced; only for single jobs
 */
public record JobView(
        long id,
        String name,
        String user,
        String queue,
        @JsonProperty("class") String jobClass,
        int gpus,
        int priority,
        JobState state,
        @JsonProperty("final") boolean ended,
        int attempt,
        @Nullable String run,
        int preemptions,
        Instant submitted,
        Instant since,
        @Nullable Instant firstStart,
        @Nullable Instant finished,
        double waitSeconds,
        double runSeconds,
        List<Integer> gpuIds,
        boolean onHold,
        @Nullable Integer exitCode,
        String detail,
        @Nullable Long arrayId,
        @Nullable Integer arrayIndex,
        @Nullable String reason,
        @Nullable String message,
        @Nullable StartView expectedStart,
        @Nullable ProgressView progress,
        @Nullable JsonNode spec,
        @Nullable List<RunView> runs,
        @Nullable List<PreemptionView> preemptionLedger) {}
