package dev.fermata.live.api.view;

/**
 * Sums over entries of the preemption ledger.
 *
 * @param key the day, user, policy or queue; empty for the sum of all
 * @param preemptions decisions to pause somebody
 * @param pauses jobs paused by them
 * @param declined decisions not to: they count in nothing below
 * @param costSeconds completion time that victims lost, as far as known
 * @param gainSeconds completion time that beneficiaries saved at most, of those that are settled
 * @param gpuSeconds pause, reload and lost work together
 */
public record PreemptionTotals(
        String key,
        long preemptions,
        long pauses,
        long paid,
        long notPaid,
        long open,
        long moved,
        long declined,
        double expectedGainSeconds,
        double expectedCostSeconds,
        double gainSeconds,
        double costSeconds,
        double gpuSeconds,
        double pauseGpuSeconds,
        double reloadGpuSeconds,
        double lostGpuSeconds) {}
