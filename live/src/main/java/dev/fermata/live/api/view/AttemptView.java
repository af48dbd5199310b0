package dev.fermata.live.api.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.fermata.core.contract.Outcome;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One attempt of a job, one flat JSON object. */
public record AttemptView(
        String attemptId,
        int attempt,
        List<Integer> gpuIds,
        @JsonUnwrapped EngineIdsView engine,
        @JsonUnwrapped AttemptTimesView times,
        @JsonUnwrapped AttemptResultView result,
        @JsonUnwrapped AttemptCostsView costs,
        @JsonUnwrapped PreemptionTradeView preemption) {
    /**
     * What the engine calls it.
     *
     * @param externalId the engine's own id of it, such as a pid or a Slurm job id; absent until the engine accepts it
     * @param devices the ids of the GPUs that the engine bound
     */
    public record EngineIdsView(@Nullable String externalId, List<String> devices) {}

    /** When it entered each state; absent until it does. */
    public record AttemptTimesView(
            Instant started,
            @Nullable Instant running,
            @Nullable Instant preempting,
            @Nullable Instant ended) {}

    /** How it ended; {@code outcome} is absent while it runs. */
    public record AttemptResultView(
            @Nullable Outcome outcome, @Nullable Integer exitCode, int signal, String detail) {}

    /** How its time was spent. */
    public record AttemptCostsView(
            double loadSeconds,
            double usefulSeconds,
            double lostSeconds,
            double preemptSeconds,
            double savedWorkSeconds) {}

    /** The job it was preempted for, with the expected gain and cost; absent for none. */
    public record PreemptionTradeView(
            @Nullable Long beneficiary,
            @Nullable Double gainSeconds,
            @Nullable Double costSeconds) {}
}
