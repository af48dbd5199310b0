package dev.fermata.live.api.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.fermata.live.preemptions.PreemptionLogEntry;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One decision to preempt jobs for another, or one that was declined, with its expected and actual result. Gain and cost are
 * completion time; {@code docs/operator/preemptions.md} defines them. What is not known yet is absent.
 *
 * @param number the sequence number of the history entry that began it
 */
public record PreemptionView(
        long number,
        Instant at,
        PreemptionLogEntry.DecisionOutcome outcome,
        String policy,
        JobRef beneficiary,
        @JsonUnwrapped VictimsView victims,
        @JsonUnwrapped ExpectedTradeView expected,
        @JsonUnwrapped ActualTradeView actual) {
    /** A job; its name is empty when the caller may not see it. */
    public record JobRef(long job, String name, String user, String queue, int gpus) {}

    /** @param victimCount how many jobs were preempted, or would have been */
    public record VictimsView(int victimCount, List<VictimView> victims) {}

    /** Gain and cost as the policy estimated them; absent where it estimates nothing. */
    public record ExpectedTradeView(
            @Nullable Double expectedGainSeconds, @Nullable Double expectedCostSeconds) {}

    /**
     * The result of the decision.
     *
     * @param started when the beneficiary got its GPUs
     * @param waitedSeconds from the decision until then; after a declined one also until the beneficiary ended without a start
     * @param loadSeconds how long the beneficiary loaded
     * @param costSeconds completion time that the victims lost, as far as known; absent for a declined decision
     * @param gainSeconds completion time that the beneficiary saved at most; absent until all victims have ended
     */
    public record ActualTradeView(
            @Nullable Instant started,
            @Nullable Double waitedSeconds,
            @Nullable Double loadSeconds,
            @Nullable Double costSeconds,
            @Nullable Double gainSeconds,
            double gpuSeconds) {}

    /** From the start order to the first report, to the begin of the restore, to its end, and to the end of the first step. */
    public record ReloadView(
            @Nullable Double startSeconds,
            @Nullable Double buildSeconds,
            @Nullable Double restoreSeconds,
            @Nullable Double warmupSeconds) {}

    /**
     * A preempted job.
     *
     * @param preemptSeconds from the signal until its processes were gone
     * @param lostSeconds work it had to repeat
     * @param gpuSeconds preemption, reload and lost work times its GPUs
     */
    public record VictimView(
            @JsonUnwrapped JobRef ref,
            @Nullable Instant ended,
            @Nullable Double preemptSeconds,
            @Nullable Double lostSeconds,
            @JsonUnwrapped ResumptionView resumption,
            double gpuSeconds) {}

    /**
     * How a preempted job went on.
     *
     * @param reloadSeconds how long its next attempt loaded
     * @param reload the parts of that, as far as its script reported them
     * @param interruptedSeconds from the decision until it made progress again
     * @param remainingSeconds how long it ran after that, in all
     */
    public record ResumptionView(
            @Nullable Double reloadSeconds,
            @Nullable ReloadView reload,
            @Nullable Double interruptedSeconds,
            @Nullable Double remainingSeconds) {}
}
