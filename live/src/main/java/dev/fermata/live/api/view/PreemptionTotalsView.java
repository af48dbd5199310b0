package dev.fermata.live.api.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;

/**
 * Sums over entries of the preemption log, one flat JSON object.
 *
 * @param key the day, user, policy or queue; empty for the sum of all
 */
public record PreemptionTotalsView(
        String key,
        @JsonUnwrapped DecisionCounts counts,
        @JsonUnwrapped CompletionTimeSums completionTime,
        @JsonUnwrapped GpuTimeSums gpuTime) {
    /**
     * The number of decisions, by outcome.
     *
     * @param preemptions decisions to preempt
     * @param preemptedJobs jobs preempted by them
     * @param declined decisions not to preempt: they count in no sum
     */
    public record DecisionCounts(
            long preemptions, long preemptedJobs, long paid, long notPaid, long open, long moved, long declined) {}

    /**
     * Completion time.
     *
     * @param gainSeconds the most that beneficiaries of settled decisions saved
     * @param costSeconds what victims lost, as far as known
     */
    public record CompletionTimeSums(
            double expectedGainSeconds, double expectedCostSeconds, double gainSeconds, double costSeconds) {}

    /** @param gpuSeconds preemption, reload and lost work together */
    public record GpuTimeSums(
            double gpuSeconds, double preemptGpuSeconds, double reloadGpuSeconds, double lostGpuSeconds) {}
}
